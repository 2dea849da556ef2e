"""Many machines: crawls in shards by host, and the lab's work spread out. The only room that imports ray."""
