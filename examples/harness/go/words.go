// Package words counts words.
package words

import (
	"os"
	"strings"
)

// Count returns the number of words in a file.
func Count(file string) (int, error) {
	text, err := os.ReadFile(file)
	return len(strings.Fields(string(text))), err
}
