import os
import subprocess


def words(file):
    return int(subprocess.run(["./words", file], check=True, stdout=subprocess.PIPE).stdout)


def test_empty():
    assert words("/dev/null") == 0


def test_poem():
    assert words(os.environ.get("POEM", "poem.txt")) == 13
