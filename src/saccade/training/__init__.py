"""From batches to weights: the training loop and everything it needs.

config.py                    the [training] section of a recipe
loop.py                      the training loop
counting.py                  one pass over the corpus, for models that count
objective.py                 a model and its loss as one module
label_smoothing.py           label-smoothed cross-entropy
label_smoothing_fast.py      the same on a CPU, without all logits in memory
optimizer.py                 the optimizers of the papers, and their state by name
eager_optimizer.py           the base of the three that follow
adam.py                      Adam, alone and as a part of the others
schedule_free.py             Schedule-Free AdamW
muon.py                      Muon: orthogonal updates
schedule.py                  the learning rate of each step
seeds.py                     the seed of dropout for each micro-batch
step.py                      what a training step is to the loop
step_eager.py                a step taken operation by operation
step_cuda_graph.py           a step captured into a CUDA graph for each shape and replayed
step_fallback.py             CUDA graphs given up where memory or the model does not allow them
out_of_memory.py             batches halved when memory runs out
activation_checkpointing.py  layers computed again in the backward pass
distributed.py               the processes of a run, as torchrun starts them
placement.py                 how processes hold weights: the interface of DDP and FSDP
ddp.py                       a copy of all weights in every process
fsdp.py                      a shard of all weights in every process
parallelize.py               from the config to one of them
prefetch.py                  batches prepared in another thread
progress.py                  how far a run has come
checkpoint.py                checkpoints: saved, restored, pruned, averaged
bookkeeping.py               journal lines, validations and checkpoints after a step
journal.py                   the journal of a run
tensorboard.py               TensorBoard curves from the journal's events
roofline.py                  the speed of the matrix products alone
nonfinite.py                 a step with a loss that is not finite, saved and replayed
interruption.py              Ctrl-C and SIGTERM
lock.py                      one training per run folder
"""
