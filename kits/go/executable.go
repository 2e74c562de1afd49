package coxswain

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
)

// ExecutableVariable is the environment variable that names the command.
const ExecutableVariable = "COXSWAIN_EXECUTABLE"

// ErrNoExecutable is in the error of Start when there is no command to run.
var ErrNoExecutable = errors.New("coxswain was not found")

// FindExecutable says which command is run: what is named, else what COXSWAIN_EXECUTABLE names, else coxswain on PATH.
func FindExecutable(named string) (string, error) {
	if named != "" {
		return lookUp(named, "Options.Executable")
	}
	if named = os.Getenv(ExecutableVariable); named != "" {
		return lookUp(named, ExecutableVariable)
	}
	path, err := exec.LookPath("coxswain")
	if err != nil {
		return "", fmt.Errorf("%w: neither Options.Executable nor %s names it, and there is no coxswain on PATH "+
			"(npm install --global coxswain puts one there)", ErrNoExecutable, ExecutableVariable)
	}
	return path, nil
}

func lookUp(named, by string) (string, error) {
	path, err := exec.LookPath(named)
	if err != nil {
		return "", fmt.Errorf("%w: %s names %s, which cannot be run: %w", ErrNoExecutable, by, named, err)
	}
	return path, nil
}
