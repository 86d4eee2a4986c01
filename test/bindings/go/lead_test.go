package test

import (
	"context"
	"errors"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"doyen"
)

func escape(text string) string { return url.QueryEscape(text) }

// listenAs starts a process of that account that listens at the path and says nothing.
func listenAs(t *testing.T, account uint32, path string) *exec.Cmd {
	t.Helper()
	process := exec.Command("/usr/bin/python3", "-c", "import socket, sys, time\n"+
		"s = socket.socket(socket.AF_UNIX)\ns.bind(sys.argv[1])\ns.listen()\ntime.sleep(1000)", path)
	process.SysProcAttr = &syscall.SysProcAttr{
		Credential: &syscall.Credential{Uid: account, Gid: account}, Pdeathsig: syscall.SIGKILL}
	process.Env = os.Environ()
	process.Dir = "/"
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	return process
}

func TestTheOneThatCoordinatesActs(t *testing.T) {
	c := newCluster(t, 2)
	coordinator := await(t, c.client("athens"), doyen.Conditions{Members: 2}).Coordinator
	for _, name := range names[:2] {
		client := c.client(name)
		soon(t, name+" says whether it acts", func() bool {
			right, err := client.Acting(within(t))
			if err != nil {
				t.Fatal(err)
			}
			return (right != nil) == (name == coordinator)
		})
	}
	right, err := c.client(coordinator).Acting(within(t))
	if err != nil || right == nil || right.Node != coordinator || !right.Advisory || right.Left <= 0 || right.Left > time.Minute {
		t.Errorf("%v, %+v", err, right)
	}
}

func TestTheRightEndsWhileTheDaemonIsStopped(t *testing.T) {
	c := newCluster(t, 1)
	client := c.client("athens")
	await(t, client, doyen.Conditions{Acting: true})
	if right, err := client.Acting(within(t)); err != nil || right == nil {
		t.Fatal(err)
	}
	c.signal("athens", syscall.SIGSTOP)
	soon(t, "the right is over", func() bool {
		right, err := client.Acting(within(t))
		return err == nil && right == nil
	})
	c.signal("athens", syscall.SIGCONT)
	soon(t, "it acts again", func() bool {
		right, _ := client.Acting(within(t))
		return right != nil
	})
}

func TestALeadIsLostOnceAndForAll(t *testing.T) {
	c := newCluster(t, 1)
	client := c.client("athens")
	await(t, client, doyen.Conditions{Acting: true})
	var kept *doyen.Lead
	err := client.Leading(within(t), doyen.LeadOptions{}, func(ctx context.Context, lead *doyen.Lead) error {
		kept = lead
		if !lead.Held() || lead.Err() != nil || lead.Epoch == 0 {
			t.Errorf("%+v: %v", lead, lead.Err())
		}
		c.signal("athens", syscall.SIGSTOP)
		<-ctx.Done()
		c.signal("athens", syscall.SIGCONT)
		return ctx.Err()
	})
	if !errors.Is(err, doyen.ErrLeadLost) || !strings.Contains(err.Error(), "not renewed") {
		t.Error(err)
	}
	if kept == nil || kept.Held() {
		t.Error("it is held again")
	}
}

func TestAHandOverWaitsForTheWork(t *testing.T) {
	c := newCluster(t, 2)
	name := await(t, c.client("athens"), doyen.Conditions{Members: 2}).Coordinator
	other := names[0]
	if other == name {
		other = names[1]
	}
	over := make(chan time.Time, 1)
	err := c.client(name).Leading(within(t), doyen.LeadOptions{}, func(ctx context.Context, lead *doyen.Lead) error {
		c.signal(name, syscall.SIGTERM)
		<-ctx.Done()
		over <- time.Now()
		return ctx.Err()
	})
	if !errors.Is(err, doyen.ErrLeadLost) {
		t.Error(err)
	}
	await(t, c.client(other), doyen.Conditions{Acting: true})
	if acted := time.Now(); acted.Before(<-over) {
		t.Error("another one acted while the work went on")
	}
}

func TestWhoDoesNotActIsTooLate(t *testing.T) {
	c := newCluster(t, 1, "--guard", "2")
	client := c.client("athens")
	soon(t, "it answers", func() bool { _, err := client.View(within(t)); return err == nil })
	never := func(context.Context, *doyen.Lead) error { t.Error("it leads"); return nil }
	err := client.Leading(within(t), doyen.LeadOptions{Timeout: 300 * time.Millisecond}, never)
	if codeOf(err) != doyen.TimedOut || !strings.Contains(err.Error(), "does not act") {
		t.Error(err)
	}
}

func TestAGraceThatDoesNotFitIsRefused(t *testing.T) {
	c := newCluster(t, 1)
	client := c.client("athens")
	await(t, client, doyen.Conditions{Acting: true})
	never := func(context.Context, *doyen.Lead) error { t.Error("it leads"); return nil }
	err := client.Leading(within(t), doyen.LeadOptions{Grace: time.Hour}, never)
	if codeOf(err) != doyen.Usage {
		t.Error(err)
	}
}

func TestTheErrorOfTheWorkIsHandedOn(t *testing.T) {
	c := newCluster(t, 1)
	broken := errors.New("broken")
	client := c.client("athens")
	soon(t, "it answers", func() bool { _, err := client.View(within(t)); return err == nil })
	err := client.Leading(within(t), doyen.LeadOptions{}, func(context.Context, *doyen.Lead) error { return broken })
	if err != broken {
		t.Error(err)
	}
}

func TestOneHoldsARoleAndTheNextComesAfterIt(t *testing.T) {
	c := newCluster(t, 2, "--profile", "wan") // so that a slow machine does not end its lease
	await(t, c.client("athens"), doyen.Conditions{Members: 2})
	role := doyen.Role{Name: "backup", Value: "10.0.0.5"}
	holds := make(chan struct{})
	letGo := make(chan struct{})
	results := make(chan error, 1)
	var first, second uint64
	go func() {
		results <- c.client("athens").Campaign(within(t), role, doyen.LeadOptions{}, func(ctx context.Context, lead *doyen.Lead) error {
			first = lead.Epoch
			close(holds)
			<-letGo
			return nil
		})
	}()
	select {
	case <-holds:
	case err := <-results:
		t.Fatal(err)
	}
	never := func(context.Context, *doyen.Lead) error { t.Error("two hold it"); return nil }
	err := c.client("byzantium").Campaign(within(t), role, doyen.LeadOptions{Timeout: time.Second}, never)
	if codeOf(err) != doyen.TimedOut || !strings.Contains(err.Error(), " holds the role") {
		t.Error(err)
	}
	close(letGo)
	if err := <-results; err != nil {
		t.Error(err)
	}
	err = c.client("byzantium").Campaign(within(t), role, doyen.LeadOptions{}, func(ctx context.Context, lead *doyen.Lead) error {
		second = lead.Epoch
		return nil
	})
	if err != nil || second <= first {
		t.Errorf("%v, token %d after %d", err, second, first)
	}
	err = c.client("athens").Campaign(within(t), doyen.Role{Name: "no name"}, doyen.LeadOptions{}, never)
	if codeOf(err) != doyen.Refused {
		t.Error(err)
	}
}
