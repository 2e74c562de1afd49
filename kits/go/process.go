package coxswain

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"sync"
	"time"
)

// ready is the line that the command prints once it serves.
type ready struct {
	Server     string `json:"server"`
	Kubeconfig string `json:"kubeconfig"`
	PID        int    `json:"pid"`
	Version    string `json:"version"`
}

// process is the command. It ends when its standard input does, and so with this process.
type process struct {
	ready ready
	log   *tail

	command *exec.Cmd
	stdin   io.Closer
	// ended is closed once the process is gone; exit is its error from then on.
	ended    chan struct{}
	exit     error
	stopOnce sync.Once
	stopErr  error
}

const (
	// stopTimeout is how long the server may take to end in order.
	stopTimeout = 20 * time.Second
	// waitDelay is how long after its end somebody may hold its output.
	waitDelay = 2 * time.Second
)

func startProcess(ctx context.Context, executable string, args []string, log io.Writer) (*process, error) {
	p := &process{log: &tail{also: log}, command: exec.Command(executable, args...), ended: make(chan struct{})}
	p.command.Stderr = p.log
	p.command.WaitDelay = waitDelay
	stdin, err := p.command.StdinPipe()
	if err != nil {
		return nil, err
	}
	p.stdin = stdin
	stdout, line := io.Pipe()
	p.command.Stdout = line
	if err := p.command.Start(); err != nil {
		return nil, fmt.Errorf("%s cannot be started: %w", executable, err)
	}
	go func() {
		p.exit = p.command.Wait()
		line.Close()
		close(p.ended)
	}()
	read := make(chan error, 1)
	go func() { read <- p.readReady(stdout) }()
	select {
	case err = <-read:
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	if err == nil {
		return p, nil
	}
	stdout.Close()
	p.kill()
	return nil, p.withLog(err)
}

// readReady reads the line, and from then on whatever else might come, so that nobody waits for it to be read.
func (p *process) readReady(stdout io.Reader) error {
	reader := bufio.NewReader(stdout)
	text, err := reader.ReadBytes('\n')
	if err != nil {
		<-p.ended
		return fmt.Errorf("coxswain ended before it was ready: %w", cmp.Or(p.exit, err))
	}
	if err := json.Unmarshal(text, &p.ready); err != nil {
		return fmt.Errorf("coxswain printed %q where a line of JSON belongs: %w", text, err)
	}
	go io.Copy(io.Discard, reader)
	return nil
}

func (p *process) stop() error {
	p.stopOnce.Do(func() { p.stopErr = p.end() })
	return p.stopErr
}

func (p *process) end() error {
	select {
	case <-p.ended:
		return p.withLog(fmt.Errorf("coxswain had ended before it was stopped: %w", cmp.Or(p.exit, errors.New("exit status 0"))))
	default:
	}
	p.stdin.Close()
	select {
	case <-p.ended:
	case <-time.After(stopTimeout):
		p.kill()
		return p.withLog(fmt.Errorf("coxswain did not end within %s and was killed", stopTimeout))
	}
	if p.exit != nil {
		return p.withLog(fmt.Errorf("coxswain did not end in order: %w", p.exit))
	}
	return nil
}

// kill ends it at once, and waits until it is gone.
func (p *process) kill() {
	p.stdin.Close()
	// It may have ended meanwhile, which is as good.
	_ = p.command.Process.Kill()
	<-p.ended
}

func (p *process) withLog(err error) error {
	if text := p.log.String(); text != "" {
		return fmt.Errorf("%w; the end of its log:\n%s", err, text)
	}
	return err
}
