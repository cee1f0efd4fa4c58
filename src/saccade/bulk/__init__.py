"""Files of any size, by any number of workers: shard by shard, and what is finished is never done again.

In reading order:

    shards.py          files cut into ranges of bytes that end at line breaks
    work.py            what is done to a shard, whoever does it
    folder.py          what lies beside the output until that is whole: the manifest, shards and their digests, locks
    worker.py          takes a shard that nobody has, does it and writes it down
    joining.py         the outputs of all shards as one file
    progress.py        how far a job is, in one line
    ranks.py           which of how many processes this is, as torchrun and SLURM tell it
    process_worker.py  a worker in a process of its own, or in this one
    processes.py       workers as processes of this machine
    ray_actors.py      workers as actors of a Ray cluster
    run.py             a job from start to end
"""
