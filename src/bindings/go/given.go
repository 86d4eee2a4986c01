package doyen

import (
	"context"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"
)

// Whether what a caller gives is what is wanted: looked at in here alone, before anything is sent.
// What the daemon alone can know, such as whether there is a member of some name, is left to it.

const (
	shownMax        = 80 // bytes
	membersMax      = 4096
	holdersMax      = 64
	priorityMax     = 1<<32 - 1
	preemptAfterMax = 24 * time.Hour
	graceMax        = 10 * time.Minute // of a campaign; that of a lead has to fit into its lease
	partitionsMax   = 4096
)

var (
	memberForm = regexp.MustCompile(`^[A-Za-z0-9._-]{1,63}$`)
	tagForm    = regexp.MustCompile(`(?s)^[^=\s]+(=.*)?$`)
	tokenForm  = regexp.MustCompile(`^[ -~]{1,63}$`)
	pathForm   = regexp.MustCompile(`^/[!-~]*$`)
)

// wrong is what is wrong with an argument, or a field of one.
func wrong(name string, value any, wanted string) error {
	shown := fmt.Sprint(value)
	if _, isText := value.(string); isText {
		shown = fmt.Sprintf("%q", value)
	} else if value == nil {
		shown = "nil"
	}
	if len(shown) > shownMax {
		shown = strings.ToValidUTF8(shown[:shownMax-3], "") + "..."
	}
	return failure(Usage, "%s is %s: %s", name, shown, wanted)
}

// firstOf returns the first thing that is wrong.
func firstOf(faults ...error) error {
	for _, fault := range faults {
		if fault != nil {
			return fault
		}
	}
	return nil
}

func refuseUnless(holds bool, name string, value any, wanted string) error {
	if holds {
		return nil
	}
	return wrong(name, value, wanted)
}

func givenContext(ctx context.Context) error {
	return refuseUnless(ctx != nil, "ctx", ctx, "give a context, such as context.Background()")
}

func givenWork(work func(context.Context, *Lead) error) error {
	if work != nil {
		return nil
	}
	return wrong("work", nil, "give a function that acts, and returns when its context is over")
}

func givenPointer(name string, value any) error {
	kind := reflect.ValueOf(value)
	holds := kind.Kind() == reflect.Pointer && !kind.IsNil()
	return refuseUnless(holds, name, typeOf(value), "give a pointer to where the document goes")
}

// typeOf is shown where the value would say less.
func typeOf(value any) any {
	if value == nil {
		return nil
	}
	return reflect.TypeOf(value)
}

// givenText takes the empty one, too, which is what was left out.
func givenText(name, value string) error {
	return refuseUnless(utf8.ValidString(value), name, value, "give a text in UTF-8")
}

func givenName(name, value string) error {
	return refuseUnless(value != "" && utf8.ValidString(value), name, value, "give a name")
}

func givenMember(name, value string) error {
	return refuseUnless(value == "" || memberForm.MatchString(value), name, value, "give the name of a member")
}

func givenTag(name, value string) error {
	holds := value == "" || utf8.ValidString(value) && tagForm.MatchString(value)
	return refuseUnless(holds, name, value, "give KEY or KEY=VALUE, and no blank in the key")
}

func givenPath(name, value string) error {
	holds := pathForm.MatchString(value)
	return refuseUnless(holds, name, value, "it is no path of a resource; give one such as /v1/status")
}

func givenToken(name, value string) error {
	if value == "" || tokenForm.MatchString(value) {
		return nil
	}
	return noToken(name, value)
}

// noToken is what is wrong with what is no token, or none that the daemon knows.
func noToken(name, value string) error {
	return wrong(name, value, "give the token that an earlier event has as its Resume")
}

func givenControl(name, value string) error {
	switch {
	case strings.ContainsRune(value, 0):
		return wrong(name, value, "give the path of the daemon's socket, or leave it out")
	case len(value) > pathBytesMax:
		return wrong(name, value, fmt.Sprintf("it is longer than the %d bytes that a Unix socket allows; use a shorter path,"+
			" or one relative to its directory", pathBytesMax))
	}
	return nil
}

func givenNumber(name string, value, most int64, of string) error {
	return refuseUnless(value >= 0 && value <= most, name, value, fmt.Sprintf("give a number%s, 1 to %d", of, most))
}

// givenSpan takes 0, too, which is what was left out.
func givenSpan(name string, value, most time.Duration) error {
	wanted := "give a time that is not negative"
	if most != 0 {
		wanted = fmt.Sprintf("give a time, up to %v", most)
	}
	return refuseUnless(value >= 0 && (most == 0 || value <= most), name, value, wanted)
}

func givenPolicy(name, value string) error {
	holds := value == "" || value == "first" || value == "oldest" || value == "priority"
	return refuseUnless(holds, name, value, "give first, oldest or priority")
}

func givenTags(name string, tags map[string]*string) error {
	for key, value := range tags {
		if err := givenText("a key of "+name, key); err != nil {
			return err
		}
		if value != nil && !utf8.ValidString(*value) {
			return wrong(fmt.Sprintf("%s[%q]", name, key), *value, "give a text in UTF-8, or nil for a tag that goes")
		}
	}
	return nil
}

// givenApart refuses two that cannot be the same.
func givenApart(one, value, other, told, wanted string) error {
	if value == "" || value != told {
		return nil
	}
	return failure(Usage, "%s and %s are %q, which %s: leave one of them out", one, other, value, wanted)
}

// check refuses what Client.Wait could wait for in vain.
func (c *Conditions) check() error {
	return firstOf(
		givenNumber("Members", int64(c.Members), membersMax, " of members"),
		givenMember("Name", c.Name),
		givenMember("Gone", c.Gone),
		givenMember("Coordinator", c.Coordinator),
		givenTag("Tag", c.Tag),
		givenApart("Name", c.Name, "Gone", c.Gone, "cannot be a member and gone at once"),
		givenApart("Coordinator", c.Coordinator, "Gone", c.Gone, "cannot coordinate and be gone at once"),
		refuseUnless(!c.AtLeast || c.Members > 0, "AtLeast", c.AtLeast, "it goes with Members"),
	)
}

func (o *LeadOptions) check() error {
	return firstOf(givenSpan("Grace", o.Grace, 0), givenSpan("Timeout", o.Timeout, 0))
}

func (r *Role) check(options *LeadOptions) error {
	return firstOf(
		givenName("Name", r.Name),
		givenPolicy("Policy", r.Policy),
		givenNumber("Holders", int64(r.Holders), holdersMax, ""),
		givenNumber("Priority", int64(r.Priority), priorityMax, ""),
		givenSpan("PreemptAfter", r.PreemptAfter, preemptAfterMax),
		givenTag("Need", r.Need),
		givenText("Value", r.Value),
		givenSpan("Grace", options.Grace, graceMax),
		refuseUnless(r.Priority == 0 || r.Policy == "priority", "Priority", r.Priority, "it goes with the policy priority alone"),
	)
}
