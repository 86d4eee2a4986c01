package test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"doyen"
)

// What callers give: each argument of each method, and each field, with all that it is not.

func nowhere(t *testing.T) *doyen.Client {
	t.Helper()
	client, err := doyen.New(doyen.Options{Control: filepath.Join(t.TempDir(), "none.sock")})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func idle(context.Context, *doyen.Lead) error { return nil }

// refuses expects an *Error of Usage in one line that has the words.
func refuses(t *testing.T, err error, words string) {
	t.Helper()
	if codeOf(err) != doyen.Usage || !strings.Contains(err.Error(), words) {
		t.Errorf("%s: %v", words, err)
	} else if len(err.Error()) > 250 || strings.Contains(err.Error(), "\n") {
		t.Errorf("%q", err.Error())
	}
}

func TestNoContextIsRefusedByEachMethodThatTakesOne(t *testing.T) {
	client := nowhere(t)
	tried := 0
	kind := reflect.TypeOf(client)
	contexts := reflect.TypeOf((*context.Context)(nil)).Elem()
	for i := 0; i < kind.NumMethod(); i++ {
		method := kind.Method(i)
		if method.Type.NumIn() < 2 || method.Type.In(1) != contexts {
			if method.Name != "Close" && method.Name != "Control" {
				t.Errorf("%s takes no context", method.Name)
			}
			continue
		}
		tried++
		arguments := []reflect.Value{reflect.ValueOf(client), reflect.Zero(contexts)}
		for at := 2; at < method.Type.NumIn(); at++ {
			arguments = append(arguments, reflect.Zero(method.Type.In(at)))
		}
		results := method.Func.Call(arguments)
		if watch, is := results[0].Interface().(*doyen.Watch); is {
			if watch.Next() {
				t.Error("it goes on")
			}
			refuses(t, watch.Err(), "ctx is nil: give a context")
			continue
		}
		err, _ := results[len(results)-1].Interface().(error)
		refuses(t, err, "ctx is nil: give a context")
	}
	if tried < 15 {
		t.Errorf("%d methods", tried)
	}
}

var (
	badTexts   = []string{"\xff", "a\xc3"}
	badMembers = append([]string{"a b", "ä", "\x00", "two\nlines", strings.Repeat("x", 64)}, badTexts...)
	badTags    = append([]string{"=", "=b", "a b", "\n"}, badTexts...)
	negative   = []int{-1, -1 << 31}
	badSpans   = []time.Duration{-1, -time.Hour}
)

// tryFields gives each field of a struct each value that is wrong for it, and expects to know all fields
// but those that can be anything.
func tryFields[T any](t *testing.T, valid T, wrong map[string]any, anything string, ask func(T) error) {
	t.Helper()
	kind := reflect.TypeOf(valid)
	for i := 0; i < kind.NumField(); i++ {
		name := kind.Field(i).Name
		values, known := wrong[name]
		if !known {
			if !strings.Contains(" "+anything+" ", " "+name+" ") {
				t.Errorf("this test knows nothing of %s.%s", kind.Name(), name)
			}
			continue
		}
		for at := 0; at < reflect.ValueOf(values).Len(); at++ {
			changed := valid
			reflect.ValueOf(&changed).Elem().Field(i).Set(reflect.ValueOf(values).Index(at))
			refuses(t, ask(changed), name+" is ")
		}
	}
}

func TestFieldsThatAreNotWhatIsWantedAreRefused(t *testing.T) {
	client := nowhere(t)
	ctx := within(t)
	wait := func(conditions doyen.Conditions) error {
		_, err := client.Wait(ctx, conditions)
		return err
	}
	tryFields(t, doyen.Conditions{}, map[string]any{
		"Members": append(negative, 4097), "AtLeast": []bool{true}, "Name": badMembers, "Gone": badMembers,
		"Coordinator": badMembers, "Tag": badTags,
	}, "Acting GuardMet", wait)
	tryFields(t, doyen.LeadOptions{}, map[string]any{"Grace": badSpans, "Timeout": badSpans}, "",
		func(options doyen.LeadOptions) error { return client.Leading(ctx, options, idle) })
	tryFields(t, doyen.LeadOptions{}, map[string]any{"Grace": append(badSpans, time.Hour), "Timeout": badSpans}, "",
		func(options doyen.LeadOptions) error {
			return client.Campaign(ctx, doyen.Role{Name: "job"}, options, idle)
		})
	tryFields(t, doyen.Role{Name: "job"}, map[string]any{
		"Name": append(badTexts, ""), "Policy": []string{"best", "First"}, "Holders": append(negative, 65),
		"Priority": append(negative, 1), "PreemptAfter": append(badSpans, 25*time.Hour), "Need": badTags, "Value": badTexts,
	}, "Preempt", func(role doyen.Role) error { return client.Campaign(ctx, role, doyen.LeadOptions{}, idle) })
	tryFields(t, doyen.Options{Control: "/none"}, map[string]any{
		"Control": []string{"\x00", strings.Repeat("x", 108)}, "ExpectUser": []string{"nobody at all", "-1", "1.5", "\xff"},
	}, "", func(options doyen.Options) error {
		_, err := doyen.New(options)
		return err
	})
}

func TestArgumentsThatAreNotWhatIsWantedAreRefused(t *testing.T) {
	client := nowhere(t)
	ctx := within(t)
	for _, text := range badTexts {
		_, transferred := client.Transfer(ctx, text)
		_, drained := client.Drain(ctx, text)
		_, undrained := client.Undrain(ctx, text)
		_, replaced := client.ReplaceVoter(ctx, text, "")
		for _, err := range []error{transferred, drained, undrained, replaced} {
			refuses(t, err, "name is ")
		}
		_, by := client.ReplaceVoter(ctx, "athens", text)
		refuses(t, by, "by is ")
		_, resigned := client.Resign(ctx, text)
		refuses(t, resigned, "role is ")
		_, key := client.SetTags(ctx, map[string]*string{text: nil})
		refuses(t, key, "a key of tags is ")
		_, value := client.SetTags(ctx, map[string]*string{"zone": &text})
		refuses(t, value, `tags["zone"] is `)
	}
	_, err := client.ReplaceVoter(ctx, "", "athens")
	refuses(t, err, `name is "": give a name`)
	_, err = client.Resign(ctx, "")
	refuses(t, err, `role is "": give a name`)
	refuses(t, client.Leading(ctx, doyen.LeadOptions{}, nil), "work is nil: give a function")
	refuses(t, client.Campaign(ctx, doyen.Role{Name: "job"}, doyen.LeadOptions{}, nil), "work is nil: give a function")
	for _, into := range []any{nil, 5, struct{}{}, (*int)(nil), map[string]any{}} {
		refuses(t, client.Get(ctx, "/v1/status", into), "into is ")
	}
	for _, path := range []string{"", "status", "/v1/sta tus", "/v1/members\r\nX: y", "/ä"} {
		refuses(t, client.Get(ctx, path, &struct{}{}), "path is ")
	}
	for _, resume := range []string{"two\nlines", "\x01", "ä", strings.Repeat("x", 64)} {
		watch := client.Watch(ctx, resume)
		if watch.Next() {
			t.Error(resume)
		}
		refuses(t, watch.Err(), "resume is ")
	}
	for _, partitions := range []int{0, -1, 4097} {
		func() {
			defer func() {
				err, _ := recover().(error)
				refuses(t, err, "partitions is ")
			}()
			doyen.PartitionOf([]byte("key"), partitions)
		}()
	}
}

func TestConditionsThatContradictEachOtherAreRefused(t *testing.T) {
	client := nowhere(t)
	_, err := client.Wait(within(t), doyen.Conditions{Name: "rome", Gone: "rome"})
	refuses(t, err, `Name and Gone are "rome", which cannot be a member and gone at once: leave one of them out`)
	_, err = client.Wait(within(t), doyen.Conditions{Coordinator: "rome", Gone: "rome"})
	refuses(t, err, "cannot coordinate and be gone at once")
	_, err = client.Wait(within(t), doyen.Conditions{AtLeast: true})
	refuses(t, err, "AtLeast is true: it goes with Members")
}

func TestVariablesThatAreEmptyAreRefused(t *testing.T) {
	for variable, options := range map[string]doyen.Options{
		"DOYEN_CONTROL": {}, "DOYEN_EXPECT_USER": {Control: "/none"},
	} {
		os.Setenv(variable, "")
		_, err := doyen.New(options)
		os.Unsetenv(variable)
		refuses(t, err, variable+" is empty: say which")
	}
}

func TestARoleThatNeedsATagSaysSoWhenTheTimeIsOver(t *testing.T) {
	c := newCluster(t, 1)
	client := c.client("athens")
	await(t, client, doyen.Conditions{Members: 1})
	stand := func(role doyen.Role) error {
		return client.Campaign(within(t), role, doyen.LeadOptions{Timeout: 300 * time.Millisecond}, idle)
	}
	err := stand(doyen.Role{Name: "job", Need: "zone=q"})
	words := "timed out after 300ms: athens has no tag zone=q, which the role job needs: doyen tag set zone=q"
	if codeOf(err) != doyen.TimedOut || err.Error() != words {
		t.Error(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	err = client.Campaign(ctx, doyen.Role{Name: "job", Need: "zone"}, doyen.LeadOptions{}, idle)
	if codeOf(err) != doyen.TimedOut || !strings.Contains(err.Error(), "athens has no tag zone, which the role job needs") {
		t.Error(err)
	}
	if _, err := client.Drain(within(t), ""); err != nil {
		t.Fatal(err)
	}
	if err := stand(doyen.Role{Name: "job"}); err == nil || !strings.Contains(err.Error(), "athens is drained, and holds no role") {
		t.Error(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	time.AfterFunc(100*time.Millisecond, stop)
	if err := client.Campaign(ctx, doyen.Role{Name: "job"}, doyen.LeadOptions{}, idle); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestWhatTheDaemonAloneKnowsIsToldAsAnArgument(t *testing.T) {
	c := newCluster(t, 1)
	client := c.client("athens")
	await(t, client, doyen.Conditions{Members: 1})
	watch := client.Watch(within(t), "5m")
	if watch.Next() {
		t.Error("it goes on")
	}
	refuses(t, watch.Err(), `resume is "5m": give the token`)
	refuses(t, client.Get(within(t), "/v1/status", new(int)), "into is *int: the document of /v1/status does not fit there")
	_, err := client.ReplaceVoter(within(t), "athens", "")
	if codeOf(err) != doyen.Refused || !strings.Contains(err.Error(), "the guard is none, not strict; strict is chosen when") {
		t.Error(err)
	}
}
