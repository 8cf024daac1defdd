"""Network namespaces joined by virtual cables, gone again at the end."""

import os
import subprocess
import time


MARK = "rg-room-"


def ip(*words, check=True):
    return subprocess.run(
        ["ip", *words], check=check, capture_output=not check, text=True
    )


def remove(namespace):
    """A namespace, with whatever runs in it."""
    left = ip("netns", "pids", namespace, check=False).stdout.split()
    if left:
        subprocess.run(["kill", "-9", *left], check=False)
    ip("netns", "del", namespace, check=False)


def remove_left_behind():
    """Those of a run that was killed so that it could not clean up."""
    for line in ip("netns", "list", check=False).stdout.splitlines():
        name = line.split()[0]
        if name.startswith(MARK):
            run = name.removeprefix(MARK).split("-")[0]
            if not os.path.exists(f"/proc/{run}"):
                remove(name)


class Network:
    """A near side, and far sides that each have a cable to it."""

    def __init__(self):
        self.mark = f"{MARK}{os.getpid()}-"
        self.near = f"{self.mark}near"
        self.namespaces = []
        self.running = []

    def __enter__(self):
        remove_left_behind()
        try:
            self._add(self.near)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for process in reversed(self.running):
            if process.poll() is None:
                process.kill()
            process.wait()
        for namespace in self.namespaces:
            remove(namespace)

    def _add(self, namespace):
        ip("netns", "add", namespace)
        self.namespaces.append(namespace)
        ip("-n", namespace, "link", "set", "lo", "up")

    def far(self, number, subnet):
        """Another far side at `subnet`.2; the near side is at `subnet`.1."""
        namespace = f"{self.mark}far{number}"
        near, far = f"near{number}", f"far{number}"
        self._add(namespace)
        ip("link", "add", near, "netns", self.near, "type", "veth", "peer", "name", far,
           "netns", namespace)
        ip("-n", self.near, "addr", "add", f"{subnet}.1/24", "dev", near)
        ip("-n", namespace, "addr", "add", f"{subnet}.2/24", "dev", far)
        ip("-n", namespace, "link", "set", far, "up")
        return namespace

    def plug(self, number, plugged=True):
        """Plugs the near end of a far side's cable in, or pulls it out."""
        cable = ["-n", self.near, "link"]
        ip(*cable, "set", f"near{number}", "up" if plugged else "down")
        # The kernel takes up to a second to say that it carries.
        state = "UP" if plugged else "DOWN"
        for _ in range(100):
            if f"state {state}" in ip(*cable, "show", f"near{number}", check=False).stdout:
                return
            time.sleep(0.05)
        raise SystemExit(f"near{number} is not {state}")

    def readdress(self, number, before, after):
        """Gives the far end of a cable another address."""
        far = ["-n", self.namespaces[number], "addr"]
        ip(*far, "del", f"{before}/24", "dev", f"far{number}")
        ip(*far, "add", f"{after}/24", "dev", f"far{number}")

    def start(self, namespace, words, **options):
        """A program in a namespace."""
        process = subprocess.Popen(
            ["ip", "netns", "exec", namespace, *words], text=True, **options
        )
        self.running.append(process)
        return process
