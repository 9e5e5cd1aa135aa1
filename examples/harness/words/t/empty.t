use Test::More tests => 1;
is(`./words /dev/null`, "0\n", 'nothing');
