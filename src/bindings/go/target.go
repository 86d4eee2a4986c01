package doyen

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"os"
	"os/user"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"syscall"
)

const (
	systemDirectory = "/run/doyen"
	pathBytesMax    = 107
	remedy          = "give its socket with Options.Control or DOYEN_CONTROL"
)

// find returns the path of the control socket: the one given, else DOYEN_CONTROL, else the only one
// there is, as the command doyen does.
func find(control string) (string, error) {
	if control != "" {
		return control, givenControl("Control", control)
	}
	control, set := os.LookupEnv("DOYEN_CONTROL")
	if set && control == "" {
		return "", failure(Usage, "DOYEN_CONTROL is empty: say which daemon is meant, or unset it")
	}
	if set {
		return control, givenControl("DOYEN_CONTROL", control)
	}
	control, err := search()
	if err != nil {
		return "", err
	}
	return control, givenControl("the only socket", control)
}

func search() (string, error) {
	directories := []string{systemDirectory}
	if runtime := os.Getenv("XDG_RUNTIME_DIR"); runtime != "" {
		directories = []string{filepath.Join(runtime, "doyen"), systemDirectory}
	}
	var found []string
	closed := ""
	for _, directory := range directories {
		entries, err := os.ReadDir(directory)
		if errors.Is(err, fs.ErrPermission) {
			closed = directory
		}
		for _, entry := range entries {
			if name := entry.Name(); strings.HasSuffix(name, ".sock") && name != ".sock" {
				found = append(found, filepath.Join(directory, name))
			}
		}
	}
	sort.Strings(found)
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return "", failure(Usage, "several daemons run here: choose one with Options.Control or DOYEN_CONTROL among %s",
			strings.Join(found, ", "))
	case closed != "":
		return "", failure(Unreachable, "%s may not be read by this account: use the account that doyend runs as, or have"+
			" doyend started with --control-group and a group that this account is in", closed)
	}
	return "", failure(Unreachable, "no control socket in %s: is doyend running? %s", strings.Join(directories, " or "), remedy)
}

// noAccount is the number of none.
const noAccount = -1

// account returns the number of the account that doyend is expected to have, besides one's own and
// root's.
func account(name string) (int, error) {
	told := "ExpectUser"
	if name == "" {
		set := false
		told = "DOYEN_EXPECT_USER"
		if name, set = os.LookupEnv(told); !set {
			return noAccount, nil
		}
		if name == "" {
			return noAccount, failure(Usage, "%s is empty: say which account the daemon runs as, or unset it", told)
		}
	}
	text := name
	if known, err := user.Lookup(name); err == nil {
		text = known.Uid
	}
	number, err := strconv.ParseUint(text, 10, 32)
	if err != nil || number == 1<<32-1 {
		return noAccount, wrong(told, name, "there is no such account; give the one that doyend runs as, by its name or number")
	}
	return int(number), nil
}

// isOfSystemDirectory tells whether a socket is in the directory that root gave to this account.
func isOfSystemDirectory(path string, owner uint32) bool {
	here, err := os.Stat(filepath.Dir(path))
	if err != nil {
		return false
	}
	system, err := os.Stat(systemDirectory)
	if err != nil || !os.SameFile(here, system) {
		return false
	}
	status, ok := system.Sys().(*syscall.Stat_t)
	return ok && status.Uid == owner
}

// checkOwner refuses a daemon of a foreign account; before anything is sent.
func (c *Client) checkOwner(connection *net.UnixConn) error {
	raw, err := connection.SyscallConn()
	if err != nil {
		return err
	}
	var peer *syscall.Ucred
	var asked error
	if err := raw.Control(func(fd uintptr) {
		peer, asked = syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED)
	}); err != nil {
		return err
	}
	if asked != nil {
		return asked
	}
	if peer.Uid == 0 || int(peer.Uid) == os.Geteuid() || int(peer.Uid) == c.expected || isOfSystemDirectory(c.control, peer.Uid) {
		return nil
	}
	named := strconv.FormatUint(uint64(peer.Uid), 10)
	if known, err := user.LookupId(named); err == nil {
		named = known.Username + " (" + named + ")"
	}
	return failure(Refused, "the process at %s belongs to the account %s, neither to this one nor to root: it is not asked; if"+
		" doyend runs as that account, say so with Options.ExpectUser", c.control, named)
}

// connect opens a connection to a daemon that may be asked.
func (c *Client) connect(ctx context.Context) (*net.UnixConn, error) {
	var dialer net.Dialer
	connection, err := dialer.DialContext(ctx, "unix", c.control)
	if err != nil {
		return nil, unreachable(c.control, err)
	}
	unix := connection.(*net.UnixConn)
	if err := c.checkOwner(unix); err != nil {
		unix.Close()
		return nil, unreachable(c.control, err)
	}
	return unix, nil
}
