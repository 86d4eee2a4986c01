package doyen

// PartitionOf returns the partition, from 0 on, of a key among so many: doyend --partitions. It panics
// with an *Error of Usage where no cluster has so many.
func PartitionOf(key []byte, partitions int) int {
	if partitions < 1 || partitions > partitionsMax {
		panic(wrong("partitions", partitions, "give 1 to 4096, as doyend --partitions has it"))
	}
	value := uint64(0xcbf29ce484222325)
	for _, b := range key {
		value = (value ^ uint64(b)) * 0x100000001b3
	}
	value = (value ^ value>>32) * 0xd6e8feb86659fd93
	return int((value ^ value>>32) % uint64(partitions))
}
