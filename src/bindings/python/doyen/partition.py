"""Where a key is: `doyend --partitions`."""

from typing import Union

from . import given

_START = 0xCBF29CE484222325
_PRIME = 0x100000001B3
_MASK = (1 << 64) - 1
_MOST = 4096


def partition_of(key: Union[bytes, str], partitions: int) -> int:
    """The partition, from 0 on, of a key among so many; of a text, that of its UTF-8. The same as
    that of `doyen partitions KEY`."""
    given.whole("partitions", partitions, 1, _MOST, " as doyend --partitions has it")
    if not isinstance(key, (bytes, bytearray, memoryview)):
        given.text("key", key, "give a text, or bytes")
    value = _START
    for byte in key.encode() if isinstance(key, str) else key:
        value = (value ^ byte) * _PRIME & _MASK
    value ^= value >> 32
    value = value * 0xD6E8FEB86659FD93 & _MASK
    return (value ^ (value >> 32)) % partitions
