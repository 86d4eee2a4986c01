package test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"doyen"
)

func codeOf(err error) doyen.Code {
	var known *doyen.Error
	if errors.As(err, &known) {
		return known.Code
	}
	return 0
}

func TestTheViewHasTheMembersOldestFirst(t *testing.T) {
	c := newCluster(t, 3)
	client := c.client("athens")
	view := await(t, client, doyen.Conditions{Members: 3})
	for i, member := range view.Members {
		if i > 0 && member.Age <= view.Members[i-1].Age {
			t.Errorf("%s of age %d comes behind age %d", member.Name, member.Age, view.Members[i-1].Age)
		}
	}
	if view.Node != "athens" || view.Coordinator != view.Members[0].Name || view.Epoch == 0 || view.Version == 0 {
		t.Errorf("%+v", view)
	}
	if view.Exclusive || !view.Guard.Met || view.Member("nobody") != nil {
		t.Errorf("%+v", view)
	}
	var status struct {
		Schema int `json:"schema"`
	}
	if err := client.Get(within(t), "/v1/status", &status); err != nil || status.Schema != 1 {
		t.Errorf("%v, schema %d", err, status.Schema)
	}
	if err := client.Get(within(t), "/v1/nothing", &status); codeOf(err) != doyen.Refused {
		t.Errorf("%v", err)
	}
	for _, path := range []string{"status", "/v1/sta tus", "/v1/status\n", "/v1/ä", ""} {
		if err := client.Get(within(t), path, &status); codeOf(err) != doyen.Usage {
			t.Errorf("%s: %v", path, err)
		}
	}
	if view.Members[0].Incarnation == 0 {
		t.Errorf("%+v", view.Members[0])
	}
}

func TestAWatchGoesOnOverARestart(t *testing.T) {
	c := newCluster(t, 2)
	client := c.client("athens")
	await(t, client, doyen.Conditions{Members: 2})
	watch := client.Watch(within(t), "")
	until := func(kind, name string) doyen.Event {
		t.Helper()
		for watch.Next() {
			if event := watch.Event(); event.Kind == kind && (name == "" || event.Name == name) {
				return event
			}
		}
		t.Fatalf("no %s: %v", kind, watch.Err())
		return doyen.Event{}
	}
	if event := until("snapshot", ""); len(event.View.Members) != 2 || event.Resume == "" {
		t.Errorf("%+v", event)
	}
	c.kill("byzantium")
	until("gone", "byzantium")
	c.start("byzantium")
	until("joined", "byzantium")
	c.kill("athens")
	until("away", "")
	c.start("athens")
	if event := until("gap", ""); event.View == nil || event.Diff == nil {
		t.Errorf("%+v", event)
	}
	until("snapshot", "")
}

func TestAWatchEndsWithItsContext(t *testing.T) {
	c := newCluster(t, 1)
	client := c.client("athens")
	await(t, client, doyen.Conditions{Members: 1})
	ctx, cancel := context.WithCancel(within(t))
	watch := client.Watch(ctx, "")
	if !watch.Next() {
		t.Fatal(watch.Err())
	}
	cancel()
	for watch.Next() {
	}
	if !errors.Is(watch.Err(), context.Canceled) {
		t.Error(watch.Err())
	}
}

func TestAWaitThatIsTooLateSaysWhatIsMissing(t *testing.T) {
	c := newCluster(t, 1)
	client := c.client("athens")
	await(t, client, doyen.Conditions{Members: 1})
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	_, err := client.Wait(ctx, doyen.Conditions{Members: 2, AtLeast: true})
	if codeOf(err) != doyen.TimedOut || !strings.Contains(err.Error(), "1 members where 2 or more are waited for") {
		t.Error(err)
	}
}

func TestWhatCouldBeWaitedForInVainIsRefused(t *testing.T) {
	client, err := doyen.New(doyen.Options{Control: filepath.Join(t.TempDir(), "none.sock")})
	if err != nil {
		t.Fatal(err)
	}
	for _, conditions := range []doyen.Conditions{
		{Members: -1}, {Members: 5000}, {Name: "a b"}, {Gone: strings.Repeat("x", 64)}, {Coordinator: "ä"},
		{Tag: "="}, {Tag: "a b"}, {Tag: "=b"},
	} {
		if _, err := client.Wait(within(t), conditions); codeOf(err) != doyen.Usage {
			t.Error(conditions, err)
		}
	}
	for _, resume := range []string{"two\nlines", "\x01", "ä", strings.Repeat("x", 64)} {
		watch := client.Watch(within(t), resume)
		if watch.Next() || codeOf(watch.Err()) != doyen.Usage {
			t.Error(resume, watch.Err())
		}
	}
	if _, err := client.Resign(within(t), ""); codeOf(err) != doyen.Usage {
		t.Error(err)
	}
}

func TestWhatIsNoSocketIsTold(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	client, err := doyen.New(doyen.Options{Control: file})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.View(within(t)); codeOf(err) != doyen.Unreachable || !strings.Contains(err.Error(), "it is no socket") {
		t.Error(err)
	}
}

func TestADaemonThatIsStoppedDoesNotHoldUpTheContext(t *testing.T) {
	c := newCluster(t, 1)
	client := c.client("athens")
	await(t, client, doyen.Conditions{Members: 1})
	c.signal("athens", syscall.SIGSTOP)
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	if _, err := client.Wait(ctx, doyen.Conditions{Members: 1}); err == nil {
		t.Error("it waits for nothing")
	}
	if _, err := client.View(within(t)); codeOf(err) != doyen.TimedOut {
		t.Error(err)
	}
}

func TestTagsAreInTheViewWhenTheyAreSet(t *testing.T) {
	c := newCluster(t, 1)
	client := c.client("athens")
	await(t, client, doyen.Conditions{Members: 1})
	zone := "a"
	if _, err := client.SetTags(within(t), map[string]*string{"zone": &zone}); err != nil {
		t.Fatal(err)
	}
	view := await(t, client, doyen.Conditions{Tag: "zone=a"})
	if view.Member("athens").Tags["zone"] != "a" {
		t.Errorf("%+v", view.Member("athens"))
	}
	view, err := client.SetTags(within(t), map[string]*string{"zone": nil})
	if err != nil || len(view.Member("athens").Tags) != 0 {
		t.Errorf("%v, %+v", err, view)
	}
}

func TestAVoterThatLostItsDiskGetsAnotherRecord(t *testing.T) {
	cluster := newCluster(t, 3, "--guard", "strict", "--voters", "athens,byzantium,cyrene")
	client := cluster.client("athens")
	await(t, client, doyen.Conditions{Members: 3, GuardMet: true})
	before, err := client.Voters(within(t))
	if err != nil || before.Needed != 2 || before.Voter("byzantium") == nil {
		t.Fatal(err, before)
	}
	cluster.loseDisk("byzantium")
	for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		voters, err := client.Voters(within(t))
		if err != nil || time.Since(began) > limit {
			t.Fatal(err, voters)
		}
		if voters.Voter("byzantium").State == "no record" {
			break
		}
	}
	after, err := client.ReplaceVoter(within(t), "byzantium", "")
	if err != nil || after.Voter("byzantium").RecordID == before.Voter("byzantium").RecordID {
		t.Error(err, after)
	}
	if _, err := client.ReplaceVoter(within(t), "nobody", ""); codeOf(err) != doyen.Refused {
		t.Error(err)
	}
}

func TestNobodyThereIsSaidInOneLine(t *testing.T) {
	client, err := doyen.New(doyen.Options{Control: filepath.Join(t.TempDir(), "none.sock")})
	if err != nil {
		t.Fatal(err)
	}
	_, err = client.View(within(t))
	if codeOf(err) != doyen.Unreachable || !strings.Contains(err.Error(), "is doyend running") {
		t.Error(err)
	}
	if _, err = client.Acting(within(t)); codeOf(err) != doyen.Unreachable {
		t.Error(err)
	}
	err = client.Leading(within(t), doyen.LeadOptions{}, idle)
	if codeOf(err) != doyen.Unreachable {
		t.Error(err)
	}
	if _, err := doyen.New(doyen.Options{Control: strings.Repeat("x", 200)}); codeOf(err) != doyen.Usage {
		t.Error(err)
	}
	if _, err := doyen.New(doyen.Options{Control: "x", ExpectUser: "no such account"}); codeOf(err) != doyen.Usage {
		t.Error(err)
	}
}

func TestADaemonWhoseQueueIsFullMayBeStopped(t *testing.T) {
	folder, err := os.MkdirTemp("", "doyen-go-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(folder)
	address := &syscall.SockaddrUnix{Name: filepath.Join(folder, "full.sock")}
	open := func() int {
		fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_NONBLOCK|syscall.SOCK_CLOEXEC, 0)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { syscall.Close(fd) })
		return fd
	}
	listener := open()
	if err := syscall.Bind(listener, address); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Listen(listener, 0); err != nil {
		t.Fatal(err)
	}
	for err == nil {
		err = syscall.Connect(open(), address)
	}
	client, _ := doyen.New(doyen.Options{Control: address.Name})
	if _, err := client.View(within(t)); codeOf(err) != doyen.TimedOut || !strings.Contains(err.Error(), "may be stopped") {
		t.Error(err)
	}
}

func TestADaemonOfAForeignAccountIsNotAsked(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can start a process of another account")
	}
	const nobody = 65534
	folder, err := os.MkdirTemp("", "doyen-go-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "foreign.sock")
	if err := os.Chown(folder, nobody, nobody); err != nil {
		t.Fatal(err)
	}
	process := listenAs(t, nobody, path)
	defer func() {
		_ = process.Process.Kill()
		_ = process.Wait()
	}()
	client, _ := doyen.New(doyen.Options{Control: path})
	soon(t, "it listens", func() bool {
		_, err = client.View(within(t))
		return codeOf(err) != doyen.Unreachable
	})
	if codeOf(err) != doyen.Refused || !strings.Contains(err.Error(), "65534") {
		t.Error(err)
	}
}

func TestAPartitionIsThatOfTheDaemon(t *testing.T) {
	c := newCluster(t, 1, "--partitions", "64")
	client := c.client("athens")
	await(t, client, doyen.Conditions{Members: 1})
	for _, key := range []string{"a", "invoice-17", "Zürich"} {
		var answer struct {
			Partition int `json:"partition"`
		}
		soon(t, "there is a table", func() bool {
			return client.Get(within(t), "/v1/partitions?key="+escape(key), &answer) == nil
		})
		if found := doyen.PartitionOf([]byte(key), 64); found != answer.Partition {
			t.Errorf("%s: %d where doyend says %d", key, found, answer.Partition)
		}
	}
}
