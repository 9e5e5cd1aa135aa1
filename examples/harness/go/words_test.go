package words

import (
	"os"
	"os/exec"
	"testing"
)

func TestEmpty(t *testing.T) {
	if n, err := Count("/dev/null"); n != 0 || err != nil {
		t.Error(n, err)
	}
}

func TestPoem(t *testing.T) {
	poem := os.Getenv("POEM")
	if poem == "" {
		poem = "../words/poem.txt"
	}
	if n, err := Count(poem); n != 13 || err != nil {
		t.Error(n, err)
	}
}

func TestSort(t *testing.T) {
	if err := exec.Command("sort", "-c", "/dev/null").Run(); err != nil {
		t.Error(err)
	}
}
