// A worker of the pool of workers.sql, which hands out the jobs where its node acts. PGHOST and
// the like say where.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"os/exec"
	"strings"
	"time"

	"doyen"
)

const pause = 200 * time.Millisecond

// By psql; in earnest, by a driver. What is refused is said on the standard error.
func sql(ctx context.Context, query string, values ...string) {
	options := []string{"-XAtq", "-v", "ON_ERROR_STOP=1"}
	for _, value := range values {
		options = append(options, "-v", value)
	}
	psql := exec.CommandContext(ctx, "psql", options...)
	psql.Stdin, psql.Stderr = strings.NewReader(query), os.Stderr
	_ = psql.Run()
}

func work(me string) {
	for { // A job that another one has by now is not this one's to end.
		sql(context.Background(), "UPDATE job SET done = now() WHERE worker = :'me' AND done IS NULL", "me="+me)
		time.Sleep(pause)
	}
}

func main() {
	client, err := doyen.New(doyen.Options{}) // DOYEN_CONTROL, or the only daemon of this host
	if err != nil {
		log.Fatal(err)
	}
	view, err := client.View(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	go work(view.Node)
	for err == nil {
		// It waits until this node acts; the context ends before the right to act does.
		err = client.Leading(context.Background(), doyen.LeadOptions{}, func(ctx context.Context, lead *doyen.Lead) error {
			return handOut(ctx, client, view.Node, lead)
		})
		if errors.Is(err, doyen.ErrLeadLost) {
			err = nil
		}
	}
	log.Fatal(err)
}

func handOut(ctx context.Context, client *doyen.Client, me string, lead *doyen.Lead) error {
	for {
		view, err := client.View(ctx)
		if err == nil {
			names := make([]string, 0, len(view.Members))
			for _, member := range view.Members {
				names = append(names, member.Name)
			}
			sql(ctx, "SELECT hand_out(:token, :'me', :'workers')", fmt.Sprintf("token=%d", lead.Epoch), "me="+me,
				"workers={"+strings.Join(names, ",")+"}")
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}
