// Works while this node acts, as the only one of its cluster.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"doyen"
)

func main() {
	client, err := doyen.New(doyen.Options{}) // DOYEN_CONTROL, or the only daemon of this host
	for err == nil {
		err = client.Leading(context.Background(), doyen.LeadOptions{}, work) // waits until this node acts
		if errors.Is(err, doyen.ErrLeadLost) {
			fmt.Println(err)
			err = nil
		}
	}
	log.Fatal(err)
}

func work(ctx context.Context, lead *doyen.Lead) error {
	fmt.Printf("epoch %d: begins\n", lead.Epoch)
	for {
		select {
		case <-ctx.Done(): // before the right to act ends
			return ctx.Err()
		case <-time.After(time.Second): // work here, and send lead.Epoch along
		}
	}
}
