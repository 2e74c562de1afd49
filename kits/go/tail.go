package coxswain

import (
	"bytes"
	"io"
	"sync"
)

// tailBytes is how much of the log is kept: some hundred lines.
const tailBytes = 32 << 10

// tail keeps the end of what is written to it, and passes all of it on.
type tail struct {
	also io.Writer

	mu   sync.Mutex
	kept []byte
}

func (t *tail) Write(text []byte) (int, error) {
	t.mu.Lock()
	t.kept = append(t.kept, text...)
	if surplus := len(t.kept) - tailBytes; surplus > 0 {
		t.kept = bytes.Clone(t.kept[surplus:])
	}
	t.mu.Unlock()
	if t.also == nil {
		return len(text), nil
	}
	return t.also.Write(text)
}

// String begins with a whole line where something was dropped before it.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := t.kept
	if len(text) == tailBytes {
		_, text, _ = bytes.Cut(text, []byte("\n"))
	}
	return string(bytes.TrimSpace(text))
}
