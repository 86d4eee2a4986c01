package doyen

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"time"
)

// Code says what kind of an Error it is: the exit statuses of the command doyen.
type Code int

const (
	Refused     Code = 1  // the daemon, or this package, says no
	Unreachable Code = 4  // no daemon is there
	TimedOut    Code = 5  // it did not come about in time
	Usage       Code = 64 // what was asked makes no sense
)

// Error is what goes wrong, in one line that names the fault and the remedy.
type Error struct {
	Code Code
	Text string
	// Passing is true where another try may go better.
	Passing bool
}

func (e *Error) Error() string { return e.Text }

// ErrLeadLost is what the error of a lead that was lost wraps, for errors.Is.
var ErrLeadLost = errors.New("the lead is lost")

type leadLost struct{ text string }

func (e *leadLost) Error() string        { return e.text }
func (e *leadLost) Is(target error) bool { return target == ErrLeadLost }

func failure(code Code, format string, arguments ...any) *Error {
	passing := code == Unreachable || code == TimedOut
	return &Error{Code: code, Text: fmt.Sprintf(format, arguments...), Passing: passing}
}

func senseless(where, what string) *Error {
	return failure(Refused, "the answer of %s makes no sense (%s): is it doyend?", where, what)
}

func silent(where string, within time.Duration) *Error {
	return failure(TimedOut, "the daemon at %s did not answer within %v: it may be stopped or overloaded", where, within)
}

// unreachable says what an error of the system means for the daemon at a path, and what to do.
func unreachable(where string, err error) error {
	var known *Error
	var hint string
	switch {
	case errors.As(err, &known):
		return known
	case errors.Is(err, os.ErrDeadlineExceeded):
		return failure(TimedOut, "the daemon at %s does not answer: it may be stopped or overloaded", where)
	case errors.Is(err, syscall.EAGAIN):
		return failure(TimedOut, "the daemon at %s lets its queue fill up: it may be stopped", where)
	case errors.Is(err, fs.ErrNotExist):
		hint = "no such socket; is doyend running? " + remedy
	case errors.Is(err, fs.ErrPermission):
		hint = "permission denied; use the account that doyend runs as, or have doyend started with" +
			" --control-group and a group that this account is in"
	case errors.Is(err, syscall.ECONNREFUSED):
		hint = "nobody listens there; is doyend running? " + remedy
		if status, err := os.Stat(where); err == nil && status.Mode()&fs.ModeSocket == 0 {
			hint = "it is no socket; " + remedy
		}
	default:
		return failure(Unreachable, "the daemon at %s went away (%v)", where, err)
	}
	return failure(Unreachable, "cannot reach the daemon at %s: %s", where, hint)
}

// passes tells whether another try is worth while. What stands in the way of the very first is told,
// but for a daemon that is there and lends no page now.
func passes(err error, first bool) bool {
	var known *Error
	return errors.As(err, &known) && known.Passing && !(first && known.Code != Refused)
}
