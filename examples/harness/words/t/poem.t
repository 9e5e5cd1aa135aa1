use Test::More tests => 1;
my $poem = $ENV{POEM} // 'poem.txt';
is(`./words $poem`, "13\n", 'two lines');
