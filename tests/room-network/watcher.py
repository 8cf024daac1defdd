"""The room on the near side, as it is said to be by the program that watches it."""

import json
import queue
import subprocess
import threading
import time


class Watcher:
    def __init__(self, network, program, *devices):
        self.process = network.start(
            network.near, [program, *devices],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.lines = queue.Queue()
        self.state = {}
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            self.lines.put(json.loads(line))
        self.lines.put(None)

    def until(self, what, like, seconds):
        """Waits until the room is like that, says how long it took, and gives its state."""
        start = time.monotonic()
        while not (self.state and like(self.state)):
            left = start + seconds - time.monotonic()
            try:
                state = self.lines.get(timeout=max(left, 0.01))
            except queue.Empty:
                shown = json.dumps(self.state, indent=1, ensure_ascii=False)
                raise SystemExit(f"not seen within {seconds} s: {what}\n{shown}") from None
            if state is None:
                raise SystemExit(f"the room ended before: {what}")
            self.state = state
        print(f"{(time.monotonic() - start) * 1000:7.0f} ms  {what}", flush=True)
        return self.state

    def never(self, what, like, seconds):
        """That the room is not like that for so long."""
        end = time.monotonic() + seconds
        while True:
            if self.state and like(self.state):
                shown = json.dumps(self.state, indent=1, ensure_ascii=False)
                raise SystemExit(f"seen: {what}\n{shown}")
            try:
                self.state = self.lines.get(timeout=max(end - time.monotonic(), 0.01))
            except queue.Empty:
                print(f"{seconds * 1000:7.0f} ms  not seen: {what}", flush=True)
                return

    def stop(self):
        """Ends the program by itself, in time and without complaint."""
        start = time.monotonic()
        self.process.stdin.close()
        if self.process.wait(timeout=5) != 0:
            raise SystemExit("the room ended with an error")
        print(f"{(time.monotonic() - start) * 1000:7.0f} ms  the room has ended", flush=True)
