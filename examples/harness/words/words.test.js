const { execFileSync } = require('node:child_process');
const assert = require('node:assert');
const test = require('node:test');

const words = (file) => Number(execFileSync('./words', [file]));

test('empty', () => assert.equal(words('/dev/null'), 0));
test('poem', () => assert.equal(words(process.env.POEM || 'poem.txt'), 13));
