#!/usr/bin/python3 -IS
"""Puts floating addresses on an interface of this host, and takes them off again however it ends.

    chrt -f 1 doyen run -- floating-address.py INTERFACE ADDRESS[/LENGTH]...

This is for root, and the same on every host; docs/guide/floating-address.md goes through it. Addresses are IPv4 and
IPv6, of length 32 and 128 unless another is given. Three take them off, each when those before it are gone:

    this process  when doyen run sends TERM, which is before the right to act ends
    its keeper    a second process, when this one has ended, by KILL for example, and at TERM; doyen run takes
                  the command for ended, and lets another host act, when both have ended
    the kernel    when both were killed at once: it was told that an address is valid for LIFE_S, and is told
                  so anew whenever the neighbours are told where it is
"""

import os
import signal
import socket
import struct
import sys
import time

ANNOUNCE_S = 0.5  # neighbours learn it anew so often, as they have to when a split is over
LIFE_S = 2  # whole seconds, as the kernel counts

NEW, DELETE = 20, 21  # RTM_NEWADDR, RTM_DELADDR
REQUEST, ACK, REPLACE, CREATE = 0x1, 0x4, 0x100, 0x400  # NLM_F_*
IFA_ADDRESS, IFA_LOCAL, IFA_CACHEINFO = 1, 2, 6
NO_DAD = 0x2  # IFA_F_NODAD: that no other host has it is what doyen run is for
ETHER_ARP, ADVERTISEMENT, ROUTER, OVERRIDE = 0x0806, 136, 0x80000000, 0x20000000


def attribute(kind, data):
    return struct.pack("=HH", 4 + len(data), kind) + data


class Address:
    def __init__(self, interface, text):
        host, _, length = text.partition("/")
        self.text = text
        self.interface = interface
        self.index = socket.if_nametoindex(interface)
        self.is_6 = ":" in host
        self.family = socket.AF_INET6 if self.is_6 else socket.AF_INET
        self.bytes = socket.inet_pton(self.family, host)
        self.length = int(length or 8 * len(self.bytes))

    def message(self, kind, flags):
        """What `ip address` would send the kernel."""
        # A preferred life of 0 keeps an IPv6 address from being the source of what this host sends.
        life = struct.pack("=IIII", 0 if self.is_6 else LIFE_S, LIFE_S, 0, 0)
        body = struct.pack("=BBBBI", self.family, self.length, NO_DAD, 0, self.index)
        body += attribute(IFA_LOCAL, self.bytes) + attribute(IFA_ADDRESS, self.bytes)
        body += attribute(IFA_CACHEINFO, life)
        return struct.pack("=IHHII", 16 + len(body), kind, REQUEST | ACK | flags, 1, 0) + body

    def announce(self, link):
        """Tells the neighbours where the address is. `link` is a packet socket of the interface."""
        hardware = link.getsockname()[4]
        if self.is_6:
            with socket.socket(socket.AF_INET6, socket.SOCK_RAW, socket.IPPROTO_ICMPV6) as icmp:
                icmp.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_HOPS, 255)
                icmp.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_IF, self.index)
                icmp.sendto(self.advertisement(hardware), ("ff02::1", 0))
        else:
            arp = struct.pack("!HHBBH", 1, 0x0800, 6, 4, 1) + hardware + self.bytes + bytes(6) + self.bytes
            link.sendto(arp, (self.interface, ETHER_ARP, 0, 0, b"\xff" * 6))

    def advertisement(self, hardware):
        with open(f"/proc/sys/net/ipv6/conf/{self.interface}/forwarding", encoding="ascii") as file:
            flags = OVERRIDE | (0 if file.read().strip() == "0" else ROUTER)
        return struct.pack("!BBHI", ADVERTISEMENT, 0, 0, flags) + self.bytes + b"\x02\x01" + hardware


def announce(addresses, pipe):
    """In a process of its own: the kernel takes 10 ms, and more when it is busy, to close a packet socket,
    and who is to let go of an address has no time for that."""
    if os.fork() == 0:
        os.close(pipe)
        try:
            with socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, 0) as link:
                link.bind((addresses[0].interface, 0))
                for address in addresses:
                    address.announce(link)
        finally:
            os._exit(0)  # What could not be sent is sent the next time.


def change(kind, flags, addresses):
    """All at once: what has begun is done, also when KILL comes while other changes keep the kernel busy."""
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0) as kernel:
        kernel.send(b"".join(address.message(kind, flags) for address in addresses))
        return [-struct.unpack_from("=i", kernel.recv(4096), 16)[0] for _ in addresses]


def start_keeper(addresses):
    """Forks the keeper, which lets go at a TERM for both, in case this process waits for the kernel, and again
    when it sees by the end of a pipe that this process is gone. Returns the pipe. This one ends with it."""
    others = (signal.SIGINT, signal.SIGHUP, signal.SIGQUIT)
    for number in others:
        signal.signal(number, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: change(DELETE, 0, addresses))
    reading, writing = os.pipe()
    keeper = os.fork()
    if keeper == 0:
        os.close(writing)
        os.read(reading, 1)
        change(DELETE, 0, addresses)
        os._exit(0)
    os.close(reading)

    def on_child(_number, _frame):
        while (ended := os.waitpid(-1, os.WNOHANG)[0]) != 0:
            if ended == keeper:
                sys.exit("floating-address: the keeper was ended")

    signal.signal(signal.SIGCHLD, on_child)
    for number in others + (signal.SIGTERM,):
        signal.signal(number, lambda number, _: sys.exit(128 + number))
    return writing


def main():
    if len(sys.argv) < 3 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    try:
        addresses = [Address(sys.argv[1], text) for text in sys.argv[2:]]
    except (OSError, ValueError) as error:
        sys.exit(f"floating-address: {' '.join(sys.argv[1:])}: {error}")
    try:  # A busy host must not make this late.
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    except OSError:
        pass
    pipe = start_keeper(addresses)
    try:
        while True:
            for address, error in zip(addresses, change(NEW, CREATE | REPLACE, addresses)):
                if error:
                    sys.exit(f"floating-address: {address.text} on {address.interface}: {os.strerror(error)}")
            announce(addresses, pipe)
            time.sleep(ANNOUNCE_S)
    finally:
        change(DELETE, 0, addresses)


if __name__ == "__main__":
    main()
