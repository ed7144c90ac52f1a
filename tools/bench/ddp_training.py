"""Trains a job file's model with PyTorch's DistributedDataParallel over gloo, at the pace that the
job declares, and ends with the same line of JSON as `slime train --json`."""

import argparse
import gzip
import json
import math
import multiprocessing
import multiprocessing.connection
import os
import pathlib
import random
import socket
import sys
import time
import tomllib


class Pace:
    """How long an emulated worker computes: its speed over time, in samples of `sample_us`."""

    def __init__(self, emulate, worker, seed):
        speeds = emulate.get("speeds") or []
        changes = [(0.0, speeds[worker] if worker < len(speeds) else 1.0)]
        changes += sorted((change["at_seconds"], change["speed"])
                          for change in emulate.get("changes", ()) if change["worker"] == worker)
        stalls = [(stall["at_seconds"], stall["at_seconds"] + stall["for_seconds"])
                  for stall in emulate.get("stalls", ()) if stall["worker"] == worker]
        moments = sorted({at for at, _ in changes} | {moment for stall in stalls
                                                      for moment in stall})
        self.pieces = []
        for moment in moments:
            speed = [speed for at, speed in changes if at <= moment][-1]
            stalled = any(begin <= moment < end for begin, end in stalls)
            self.pieces.append((moment, 0.0 if stalled else speed))
        self.sample_s = emulate.get("sample_us", 0) / 1e6
        self.noise = emulate.get("noise", 0.0)
        self.chance = random.Random(seed * 1000 + worker)

    def work_done(self, begin, end):
        """The speed's integral from `begin` to `end` seconds."""
        ends = [moment for moment, _ in self.pieces[1:]] + [math.inf]
        return sum(speed * max(0.0, min(end, last) - max(begin, first))
                   for (first, speed), last in zip(self.pieces, ends))

    def duration(self, samples, begin):
        """Seconds that `samples` take from `begin` on; draws the noise."""
        work = samples * self.sample_s
        if self.noise:
            work *= math.exp(self.noise * self.chance.gauss(0, 1))
        now = begin
        for (first, speed), last in zip(self.pieces, [m for m, _ in self.pieces[1:]] + [math.inf]):
            if now >= last or work <= 0:
                continue
            now = max(now, first)
            room = speed * (last - now) if speed else 0.0
            if room >= work:
                return now + work / speed - begin
            work -= room
            now = last
        return now - begin


def ideal_seconds(paces, samples):
    """The smallest time in which all workers together can have computed `samples`."""
    work = samples * paces[0].sample_s
    low, high = 0.0, 1.0
    while sum(pace.work_done(0, high) for pace in paces) < work:
        high *= 2
    for _ in range(60):
        middle = (low + high) / 2
        if sum(pace.work_done(0, middle) for pace in paces) < work:
            low = middle
        else:
            high = middle
    return high


def merge(into, settings):
    for name, value in settings.items():
        if isinstance(value, dict) and isinstance(into.get(name), dict):
            merge(into[name], value)
        else:
            into[name] = value


def read_idx(path):
    import numpy
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
        data = file.read()
    dimensions = [int.from_bytes(data[4 + 4 * i:8 + 4 * i], "big") for i in range(data[3])]
    values = numpy.frombuffer(data, numpy.uint8, offset=4 + 4 * data[3])
    return values.reshape(dimensions[0], -1)


def build(layers, inputs):
    from torch import nn
    parts = []
    for layer in layers:
        kind, width, *activation = layer.split()
        if kind != "dense" or activation not in ([], ["relu"]):
            raise SystemExit(f"ddp_training: cannot build the layer \"{layer}\"")
        parts.append(nn.Linear(inputs, int(width)))
        # Initial parameters as SLIME draws them.
        bound = math.sqrt(3 * (2 if activation else 1) / inputs)
        nn.init.uniform_(parts[-1].weight, -bound, bound)
        nn.init.zeros_(parts[-1].bias)
        if activation:
            parts.append(nn.ReLU())
        inputs = int(width)
    return nn.Sequential(*parts)


class Trainer:
    """One rank. The clock of the run stands still while the model is evaluated."""

    def __init__(self, job, rank, port, answers):
        import torch
        import torch.distributed
        self.torch, self.job, self.rank, self.answers = torch, job, rank, answers
        torch.set_num_threads(1)
        torch.manual_seed(job["seed"])
        torch.distributed.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}",
                                             rank=rank, world_size=job["workers"])
        images, self.labels = self.load(job["data"]["train"])
        test_images, self.test_labels = self.load(job["data"]["test"])
        # Both by the training set's figures, as SLIME does.
        mean, deviation = images.mean(), images.std(unbiased=False)
        self.images = (images - mean) / deviation
        self.test_images = (test_images - mean) / deviation
        self.model = torch.nn.parallel.DistributedDataParallel(
            build(job["model"]["layers"], self.images.shape[1]))
        self.pace = Pace(job["emulate"], rank, job["seed"])
        self.backward_s = 0.0
        self.reached = {str(accuracy): None for accuracy in job["target_accuracies"]}

    def load(self, files):
        images, labels = (read_idx(path) for path in files)
        return (self.torch.tensor(images, dtype=self.torch.float32),
                self.torch.tensor(labels.reshape(-1), dtype=self.torch.int64))

    def run_time(self):
        return time.monotonic() - self.began - self.paused

    def step(self, rows, optimizer):
        begun = time.monotonic()
        ends = begun + self.pace.duration(len(rows), self.run_time())
        optimizer.zero_grad()
        loss = self.torch.nn.functional.cross_entropy(self.model(self.images[rows]),
                                                      self.labels[rows])
        # Gradients are exchanged while the backward pass runs, so it is what the wait leaves room
        # for.
        time.sleep(max(0.0, ends - time.monotonic() - self.backward_s))
        before = time.thread_time()
        loss.backward()
        self.backward_s = time.thread_time() - before
        optimizer.step()

    def evaluate(self):
        self.torch.distributed.barrier()
        begun = time.monotonic()
        run_time = self.run_time()
        with self.torch.no_grad():
            found = self.model.module(self.test_images).argmax(1)
        accuracy = float((found == self.test_labels).float().mean())
        for target in self.reached:
            if self.reached[target] is None and accuracy >= float(target):
                self.reached[target] = run_time
        self.torch.distributed.barrier()
        self.paused += time.monotonic() - begun
        return accuracy

    def train(self):
        job, torch = self.job, self.torch
        samples, batch, workers = len(self.images), job["batch"], job["workers"]
        settings = job["optimizer"]
        optimizer = torch.optim.SGD(self.model.parameters(), settings["learning_rate"],
                                    momentum=settings["momentum"])
        whole = samples * job["epochs"]
        torch.distributed.barrier()
        self.began, self.paused, iteration, accuracy = time.monotonic(), 0.0, 0, 0.0
        for epoch in range(job["epochs"]):
            order = torch.randperm(samples, generator=torch.Generator().manual_seed(epoch))
            for first in range(0, samples, batch):
                rows = order[first:first + batch][self.rank::workers]
                if settings["schedule"] == "cosine":
                    used = (epoch * samples + first) / whole
                    optimizer.param_groups[0]["lr"] = (
                        settings["learning_rate"] * (1 + math.cos(math.pi * used)) / 2)
                self.step(rows, optimizer)
                iteration += 1
                if iteration % job["evaluate"]["every_iterations"] == 0:
                    accuracy = self.evaluate()
        torch.distributed.barrier()
        seconds = self.run_time()
        accuracy = self.evaluate()
        if self.rank == 0:
            self.answers.put({"seconds": seconds, "test_accuracy": accuracy,
                              "time_to_accuracy": self.reached, "samples": whole})


def work(job, rank, port, answers):
    Trainer(job, rank, port, answers).train()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def main(arguments=None):
    """Exit codes: 0 it was trained, 1 a rank failed, 2 the command line is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("job", type=pathlib.Path, help="the job file")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE")
    chosen = parser.parse_args(arguments)
    job = tomllib.loads(chosen.job.read_text())
    for setting in chosen.set:
        merge(job, tomllib.loads(setting))
    job.setdefault("emulate", {})
    # Each rank does with one thread, as SLIME's workers do.
    os.environ["OMP_NUM_THREADS"] = "1"
    context = multiprocessing.get_context("spawn")
    answers = context.SimpleQueue()
    port = free_port()
    ranks = [context.Process(target=work, args=(job, rank, port, answers), daemon=True)
             for rank in range(job["workers"])]
    for rank in ranks:
        rank.start()
    # One that fails would leave the others waiting for it.
    waiting = {rank.sentinel: rank for rank in ranks}
    while waiting:
        for sentinel in multiprocessing.connection.wait(list(waiting)):
            rank = waiting.pop(sentinel)
            rank.join()
            if rank.exitcode != 0:
                for other in waiting.values():
                    other.terminate()
                print(f"ddp_training: {rank.name} ended with {rank.exitcode}, as said above",
                      file=sys.stderr)
                return 1
    result = answers.get()
    if job["emulate"].get("sample_us", 0) > 0:
        paces = [Pace(job["emulate"], rank, job["seed"]) for rank in range(job["workers"])]
        result["makespan_ratio"] = result["seconds"] / ideal_seconds(paces, result["samples"])
    print(json.dumps({"ok": True, **result}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
