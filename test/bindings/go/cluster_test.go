// Package test has the tests of the Go package: real daemons of the build that DOYEN_BUILD names.
package test

import (
	"context"
	"fmt"
	"math/rand"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"doyen"
)

const limit = 30 * time.Second // for everything that is waited for

var names = []string{"athens", "byzantium", "cyrene"}

func TestMain(m *testing.M) {
	rand.Seed(time.Now().UnixNano())
	for _, variable := range os.Environ() {
		if name, _, _ := strings.Cut(variable, "="); strings.HasPrefix(name, "DOYEN_") && name != "DOYEN_BUILD" {
			os.Unsetenv(name)
		}
	}
	os.Exit(m.Run())
}

type cluster struct {
	t         *testing.T
	folder    string
	first     int // port
	count     int
	options   []string
	processes map[string]*exec.Cmd
}

// freePorts returns the first of so many ports where nobody listens.
func freePorts(count int) int {
	for {
		first := 20000 + rand.Intn(10000)
		free := true
		for port := first; port < first+count; port++ {
			tcp, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
			if err != nil {
				free = false
				break
			}
			tcp.Close()
			udp, err := net.ListenPacket("udp", fmt.Sprintf("127.0.0.1:%d", port))
			if err != nil {
				free = false
				break
			}
			udp.Close()
		}
		if free {
			return first
		}
	}
}

// newCluster starts so many daemons, which end with the test.
func newCluster(t *testing.T, count int, options ...string) *cluster {
	t.Helper()
	t.Parallel()
	folder, err := os.MkdirTemp("", "doyen-go-")
	if err != nil {
		t.Fatal(err)
	}
	c := &cluster{t, folder, freePorts(count), count, options, map[string]*exec.Cmd{}}
	t.Cleanup(func() {
		for name := range c.processes {
			c.kill(name)
		}
		os.RemoveAll(folder)
	})
	for _, name := range names[:count] {
		c.start(name)
	}
	return c
}

func (c *cluster) control(name string) string { return filepath.Join(c.folder, name+".sock") }

func (c *cluster) start(name string) {
	c.t.Helper()
	var arguments []string
	for i := 0; i < c.count; i++ {
		address := fmt.Sprintf("127.0.0.1:%d", c.first+i)
		arguments = append(arguments, "--seed", address)
		if names[i] == name {
			arguments = append(arguments, "--name", name, "--listen", address)
		}
	}
	arguments = append(arguments, "--control", c.control(name), "--state-dir", filepath.Join(c.folder, name+".state"))
	process := exec.Command(filepath.Join(os.Getenv("DOYEN_BUILD"), "doyend"), append(arguments, c.options...)...)
	process.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	log, err := os.OpenFile(filepath.Join(c.folder, name+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		c.t.Fatal(err)
	}
	defer log.Close()
	process.Stderr = log
	if err := process.Start(); err != nil {
		c.t.Fatal(err)
	}
	c.processes[name] = process
}

func (c *cluster) signal(name string, number syscall.Signal) {
	_ = c.processes[name].Process.Signal(number)
}

func (c *cluster) kill(name string) {
	c.signal(name, syscall.SIGCONT)
	c.signal(name, syscall.SIGKILL)
	_ = c.processes[name].Wait()
}

// loseDisk starts it again without the record by which it voted.
func (c *cluster) loseDisk(name string) {
	c.t.Helper()
	c.kill(name)
	if err := os.Remove(filepath.Join(c.folder, name+".state", "voter")); err != nil {
		c.t.Fatal(err)
	}
	c.start(name)
}

func (c *cluster) client(name string) *doyen.Client {
	c.t.Helper()
	client, err := doyen.New(doyen.Options{Control: c.control(name)})
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(client.Close)
	return client
}

// within is a context for what takes a second at the most on a quiet machine.
func within(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	t.Cleanup(cancel)
	return ctx
}

// await waits through a client until the conditions hold.
func await(t *testing.T, client *doyen.Client, conditions doyen.Conditions) *doyen.View {
	t.Helper()
	view, err := client.Wait(within(t), conditions)
	if err != nil {
		t.Fatal(err)
	}
	return view
}

func soon(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for until := time.Now().Add(limit); time.Now().Before(until); time.Sleep(10 * time.Millisecond) {
		if holds() {
			return
		}
	}
	t.Fatalf("not within %v: %s", limit, what)
}
