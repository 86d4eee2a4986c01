// The smallest member of a cluster on hashicorp/memberlist, at the library's defaults for a LAN, for
// scripts/bench scale to be compared with. On Debian 12, with golang-go and
// golang-github-hashicorp-memberlist-dev:
//
//	GO111MODULE=off GOPATH=/usr/share/gocode go build -o /usr/local/bin/memberlist-agent test/bench/memberlist-agent.go
//
// Whoever connects to 127.0.0.1:7000 is told how many members live.
package main

import (
	"flag"
	"fmt"
	"io/ioutil"
	"log"
	"net"
	"time"

	"github.com/hashicorp/memberlist"
)

func join(list *memberlist.Memberlist, seed string) {
	for {
		if joined, err := list.Join([]string{seed}); err == nil && joined > 0 {
			return
		}
		time.Sleep(200 * time.Millisecond)
	}
}

func main() {
	name := flag.String("name", "", "")
	bind := flag.String("bind", "127.0.0.1", "")
	seed := flag.String("seed", "", "")
	flag.Parse()
	config := memberlist.DefaultLANConfig()
	config.Name, config.BindAddr, config.AdvertiseAddr = *name, *bind, *bind
	config.LogOutput = ioutil.Discard
	list, err := memberlist.Create(config)
	if err != nil {
		log.Fatal(err)
	}
	if *seed != "" {
		go join(list, *seed)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:7000")
	if err != nil {
		log.Fatal(err)
	}
	for {
		connection, err := listener.Accept()
		if err != nil {
			log.Fatal(err)
		}
		fmt.Fprintf(connection, "%d\n", list.NumMembers())
		connection.Close()
	}
}
