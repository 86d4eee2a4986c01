package test

import (
	"context"
	"testing"

	"doyen"
)

func TestATransferHandsOver(t *testing.T) {
	c := newCluster(t, 3)
	client := c.client("cyrene")
	before := await(t, client, doyen.Conditions{Members: 3}).Coordinator
	view, err := client.Transfer(within(t), "")
	if err != nil || view.Coordinator == before || len(view.Members) != 3 {
		t.Fatal(err, view)
	}
	view, err = client.Transfer(within(t), before)
	if err != nil || view.Coordinator != before {
		t.Error(err, view)
	}
	if view, err = client.Transfer(within(t), before); err != nil || view.Coordinator != before {
		t.Error(err, view)
	}
	for _, name := range []string{"nobody", "a b?c&d=%"} {
		if _, err := client.Transfer(within(t), name); codeOf(err) != doyen.Refused {
			t.Error(name, err)
		}
	}
}

func TestWhoIsDrainedDoesNotCoordinate(t *testing.T) {
	c := newCluster(t, 3)
	client := c.client("athens")
	before := await(t, client, doyen.Conditions{Members: 3}).Coordinator
	if _, err := client.Drain(within(t), before); err != nil {
		t.Fatal(err)
	}
	soon(t, "another coordinates", func() bool {
		view, err := client.View(within(t))
		return err == nil && view.Coordinator != "" && view.Coordinator != before
	})
	if _, err := client.Transfer(within(t), before); codeOf(err) != doyen.Refused {
		t.Error(err)
	}
	view, err := client.Undrain(within(t), before)
	if err != nil || view.Member(before).Drained {
		t.Fatal(err, view)
	}
	if view, err = client.Drain(within(t), ""); err != nil || !view.Member("athens").Drained {
		t.Error(err, view)
	}
	if _, err := client.Drain(within(t), "nobody"); codeOf(err) != doyen.Refused {
		t.Error(err)
	}
}

func TestTheRolesShowWhoHoldsAndWhoWaitsUntilOneResigns(t *testing.T) {
	c := newCluster(t, 2)
	await(t, c.client("byzantium"), doyen.Conditions{Members: 2})
	results := make(chan error, 2)
	stand := func(name string) {
		role := doyen.Role{Name: "backup", Value: "at " + name}
		results <- c.client(name).Campaign(within(t), role, doyen.LeadOptions{}, func(ctx context.Context, _ *doyen.Lead) error {
			<-ctx.Done()
			return nil
		})
	}
	client := c.client("athens")
	state := func() *doyen.RoleState {
		roles, err := client.Roles(within(t))
		if err != nil {
			t.Fatal(err)
		}
		if !roles.Advisory {
			t.Error("guard none rules nothing out")
		}
		return roles.Role("backup")
	}
	if state() != nil {
		t.Error("somebody stands")
	}
	go stand("byzantium")
	soon(t, "byzantium holds it", func() bool {
		role := state()
		return role != nil && len(role.Holders) == 1 && role.Holders[0].Member == "byzantium"
	})
	holder := state().Holders[0]
	if holder.Token == 0 || holder.Value != "at byzantium" || !holder.Eligible || holder.Lacks != "" {
		t.Errorf("%+v", holder)
	}
	go stand("athens")
	soon(t, "athens waits", func() bool {
		role := state()
		return len(role.Candidates) == 1 && role.Candidates[0].Member == "athens"
	})
	if _, err := client.Resign(within(t), "nobody-stands"); codeOf(err) != doyen.Refused {
		t.Error(err)
	}
	if count, err := c.client("byzantium").Resign(within(t), "backup"); err != nil || count != 1 {
		t.Error(count, err)
	}
	soon(t, "athens holds it", func() bool {
		role := state()
		return role != nil && len(role.Holders) == 1 && role.Holders[0].Member == "athens" &&
			role.Holders[0].Token > holder.Token
	})
	if _, err := client.Resign(within(t), "backup"); err != nil {
		t.Error(err)
	}
	for i := 0; i < 2; i++ {
		<-results
	}
}
