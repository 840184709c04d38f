"""Throws bad requests at a running player, and looks whether it still answers good ones.

Random bytes, damaged messages, huge bodies, deep parentheses, senders of single bytes, half-closed
and reset connections, unknown matches, matches with hostile rules, and in between requests that
must be answered. The requests follow from the seed; exit code 1 if a good request was ever not
answered as it must be::

    neurogame serve --player mcts --port 9147
    python experiments/fuzz_player.py --port 9147 --requests 100000 --seed 1
"""

from __future__ import annotations

import argparse
import json
import random
import re
import socket
import struct
import sys
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable

from neurogame.errors import ProtocolError
from neurogame.ggp.protocol.messages import Start, parse_message

_SHOWN = 20
_TIMEOUT = 10.0
_INFO = re.compile(r"\(\(name \S+\)\(status (available|busy)\)\(species alien\)\)")
_RULES = (
    "( role x ) ( init ( at 1 ) ) ( <= ( legal x ( go ?n ) ) ( succ ?m ?n ) ( true ( at ?m ) ) ) "
    "( <= ( next ( at ?n ) ) ( does x ( go ?n ) ) ) ( succ 1 2 ) ( succ 2 3 ) "
    "( <= terminal ( true ( at 3 ) ) ) ( goal x 100 ) "
)
_HOSTILE = (
    "",
    "( role x )",
    "( <= ( role ?x ) ( role ?x ) )",
    "( role x ) ( init ( n 0 ) ) ( <= ( next ( n ( s ?x ) ) ) ( true ( n ?x ) ) ) ( legal x a )",
    "( role x ) ( <= ( p ?a ?b ?c ?d ) ( q ?a ) ( q ?b ) ( q ?c ) ( q ?d ) ) "
    + " ".join(f"( q {n} )" for n in range(60)),
    "( role x ) ( <= ( legal x ( f ?x ) ) ( legal x ?x ) ) ( legal x a ) ( <= p ( not p ) )",
    "(" * 300 + ")" * 300,
)

Answer = tuple[str, str]
"""Status (``200``, ``400`` or ``none``) and body."""


class Sender:
    """One stream of requests.

    Args:
        address: of the player.
        seed: decides the requests.
        pace: how many START messages that begin a match are allowed, of a thousand requests.
    """

    def __init__(self, address: tuple[str, int], seed: str, pace: float) -> None:
        self._address = address
        self._chance = random.Random(seed)
        self._pace = pace / 1000
        self.counts: Counter[tuple[str, str]] = Counter()
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self.failures: list[str] = []
        self.failed = 0
        self._number = 0
        self._prefix = f"fuzz.{seed}"
        self._kinds: dict[str, tuple[float, Callable[[], Answer]]] = {
            "good INFO": (12, self.info),
            "unknown match": (12, self.unknown_match),
            "random bytes": (16, self.random_bytes),
            "damaged message": (22, self.damaged_message),
            "damaged HTTP": (14, self.damaged_http),
            "deep nesting": (4, self.deep_nesting),
            "half-closed": (8, self.half_closed),
            "reset": (8, self.reset),
            "gone at once": (3.5, self.gone),
            "huge body": (0.02, self.huge_body),
            "huge length": (0.4, self.huge_length),
        }

    def step(self) -> None:
        """Send one request of a random kind and count what came back."""
        self._number += 1
        if self._chance.random() < self._pace:
            kind, send = "hostile match", self.hostile_match
        else:
            weights = [weight for weight, _ in self._kinds.values()]
            kind = self._chance.choices(list(self._kinds), weights)[0]
            send = self._kinds[kind][1]
        began = time.monotonic()
        try:
            status, _ = send()
        except OSError as error:
            status = "none"
            if kind in ("good INFO", "unknown match"):
                self._fail(f"{kind}: {error!r}")
        self.counts[kind, status] += 1
        self.seconds[kind] += time.monotonic() - began

    def _fail(self, what: str) -> None:
        self.failed += 1
        if len(self.failures) < _SHOWN:
            self.failures.append(what)

    def info(self) -> Answer:
        """Ask a good question; the answer is checked."""
        chance = self._chance
        body = chance.choice(["( INFO )", "(info)", "( PING )", ""]).encode()
        answer = self._exchange(
            chance.choice(
                [
                    _post(body),
                    _post(body).replace(b"\r\n", b"\n"),
                    b"GET /%28INFO%29 HTTP/1.1\r\nHost: x\r\n\r\n",
                    b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
                    b"6\r\n(INFO)\r\n0\r\n\r\n",
                ]
            )
        )
        if answer[0] != "200" or not _INFO.fullmatch(answer[1]):
            self._fail(f"good INFO: answered {answer}")
        return answer

    def unknown_match(self) -> Answer:
        """Ask about a match that does not exist; the answer must be busy."""
        name = f"{self._prefix}.none.{self._number}"
        form = self._chance.choice(
            ["( PLAY {} NIL )", "( PLAY {} (a b) )", "( STOP {} (a) )", "( ABORT {} )"]
        )
        answer = self._exchange(_post(form.format(name).encode()))
        if answer != ("200", "busy"):
            self._fail(f"unknown match: answered {answer}")
        return answer

    def random_bytes(self) -> Answer:
        """Send noise."""
        return self._exchange(self._chance.randbytes(self._chance.randrange(1, 2000)), end=True)

    def damaged_message(self) -> Answer:
        """Send a real message with some faults; end the match that it may have begun."""
        text = self._chance.choices(self._messages(), [10, 1, 10, 10, 10, 1])[0]
        data = self._damaged(text.encode())
        answer = self._exchange(_post(data))
        self._abort_if_started(data, answer)
        return answer

    def damaged_http(self) -> Answer:
        """Send a real request with faults anywhere."""
        return self._exchange(self._damaged(_post(b"( PLAY m ((mark 1 1) noop) )")), end=True)

    def deep_nesting(self) -> Answer:
        """Send many parentheses."""
        depth = self._chance.choice([10, 101, 999, 1001, 20_000])
        return self._exchange(_post(b"( PLAY m " + b"(" * depth + b")" * depth + b" )"))

    def half_closed(self) -> Answer:
        """Send a part of a request, and no more."""
        whole = _post(self._chance.choice(self._messages()).encode())
        return self._exchange(whole[: self._chance.randrange(len(whole))], end=True)

    def reset(self) -> Answer:
        """Send a part of a request and break the connection."""
        whole = _post(b"( INFO )")
        with socket.create_connection(self._address, _TIMEOUT) as own:
            own.sendall(whole[: self._chance.randrange(len(whole) + 1)])
            own.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        return "none", ""

    def gone(self) -> Answer:
        """Connect and leave, or send a good question and do not wait."""
        with socket.create_connection(self._address, _TIMEOUT) as own:
            if self._chance.random() < 0.5:
                own.sendall(_post(b"( INFO )"))
        return "none", ""

    def huge_body(self) -> Answer:
        """Send some megabytes."""
        piece = self._chance.choice([b"(a b) ", b"x", b"()", b"; ", self._chance.randbytes(64)])
        size = self._chance.choice([1, 4, 7, 9]) * 2**20
        return self._exchange(_post(b"( PLAY m (" + piece * (size // len(piece)) + b") )"))

    def huge_length(self) -> Answer:
        """Announce more than is allowed, or than comes."""
        length = self._chance.choice([10**7, 10**12, 10**30, 500])
        head = f"POST / HTTP/1.0\r\nContent-Length: {length}\r\n\r\n( INFO )"
        return self._exchange(head.encode(), end=True)

    def hostile_match(self) -> Answer:
        """Begin a match with hostile rules, ask for moves, end it."""
        name = f"{self._prefix}.hostile.{self._number}"
        rules = self._chance.choice([*_HOSTILE, self._damaged(_RULES.encode()).decode("latin-1")])
        clocks = self._chance.choice(["1 1", "0 0", "0.5 0.3", "1 0"])
        data = f"( START {name} x ({rules}) {clocks})".encode()
        answer = self._exchange(_post(data))
        if answer[1] == "ready":
            for moves in ("NIL", "(a)", "((go 2))"):
                self._exchange(_post(f"( PLAY {name} {moves} )".encode()))
            end = self._chance.choice(["( ABORT {} )", "( STOP {} (a) )"])
            self._exchange(_post(end.format(name).encode()))
        return answer

    def _messages(self) -> list[str]:
        name = f"{self._prefix}.{self._number}"
        return [
            "( INFO )",
            f"( START {name} x ({_RULES}) 0 0)",
            f"( PLAY {name} (( mark 2 1 ) noop ) )",
            f"( STOP {name} (( mark 2 1 ) noop ) )",
            f"( ABORT {name} )",
            f"( PREVIEW ({_RULES}) 0.1 )",
        ]

    def _damaged(self, data: bytes) -> bytes:
        """Return the bytes with some faults; a START always gets enough to be none, mostly."""
        chance = self._chance
        broken = bytearray(data)
        for _ in range(chance.randrange(1, 6)):
            at = chance.randrange(len(broken) + 1)
            match chance.randrange(5):
                case 0:
                    broken[at:at] = chance.randbytes(1)
                case 1:
                    del broken[at : at + chance.randrange(1, 10)]
                case 2:
                    broken[at:at] = chance.choice([b"(", b")", b";", b"|", b'"', b"\x00", b"\r\n"])
                case 3:
                    broken[at:at] = broken[: chance.randrange(1, 40)]
                case _:
                    broken[at : at + 1] = chance.randbytes(1)
        return bytes(broken)

    def _abort_if_started(self, data: bytes, answer: Answer) -> None:
        """End a match that damaged data happened to begin."""
        if answer[1] != "ready":
            return
        try:
            text = data.decode()
        except UnicodeDecodeError:
            text = data.decode("latin-1")  # As the player reads it.
        try:
            message = parse_message(text)
        except ProtocolError:
            return
        if isinstance(message, Start):
            self._exchange(_post(f"( ABORT {message.match} )".encode()))

    def _exchange(self, data: bytes, end: bool = False) -> Answer:
        """Send bytes and return what comes back.

        Args:
            data: anything.
            end: whether to say that no more comes.
        """
        reply = bytearray()
        with socket.create_connection(self._address, _TIMEOUT) as own:
            try:
                own.sendall(data)
                if end:
                    own.shutdown(socket.SHUT_WR)
            except (BrokenPipeError, ConnectionResetError):
                pass  # The player had enough; its answer may be there.
            while piece := own.recv(65536):
                reply += piece
        head, _, body = bytes(reply).partition(b"\r\n\r\n")
        found = re.match(rb"HTTP/1\.0 (\d+) ", head)
        return (found[1].decode() if found else "none"), body.decode("utf-8", "replace")


class SlowOnes(threading.Thread):
    """Keeps connections that send a byte now and then, and opens new ones for those that end.

    Args:
        address: of the player.
        count: how many at a time.
    """

    def __init__(self, address: tuple[str, int], count: int) -> None:
        super().__init__(daemon=True)
        self._address = address
        self._count = count
        self._ended = threading.Event()
        self.opened = 0
        self.dropped = 0

    def run(self) -> None:
        """Open, dribble, replace."""
        data = _post(b"( PLAY slow " + b"(" * 5000)
        own: dict[socket.socket, int] = {}
        while not self._ended.wait(0.25):
            for connection, sent in list(own.items()):
                try:
                    connection.send(data[sent : sent + 1])
                    own[connection] = sent + 1
                except OSError:
                    connection.close()
                    del own[connection]
                    self.dropped += 1
            while len(own) < self._count and not self._ended.is_set():
                try:
                    own[socket.create_connection(self._address, _TIMEOUT)] = 0
                    self.opened += 1
                except OSError:
                    break
        for connection in own:
            connection.close()

    def end(self) -> None:
        """Close all."""
        self._ended.set()
        self.join()


def _post(body: bytes) -> bytes:
    """Return a request as GGP-Base sends it."""
    head = (
        "POST / HTTP/1.0\r\nAccept: text/delim\r\nHost: localhost\r\nSender: GAMESERVER\r\n"
        f"Receiver: x\r\nContent-Type: text/acl\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--host", default="127.0.0.1", help="default 127.0.0.1")
    parser.add_argument("--port", type=int, default=9147, help="default 9147")
    parser.add_argument("--requests", type=int, default=100_000, help="default 100000")
    parser.add_argument("--seed", type=int, default=1, help="decides the requests (default 1)")
    parser.add_argument("--threads", type=int, default=4, help="senders at a time (default 4)")
    parser.add_argument("--slow", type=int, default=32, help="slow connections (default 32)")
    parser.add_argument(
        "--matches", type=float, default=0.3, help="hostile matches per 1000 (default 0.3)"
    )
    options = parser.parse_args()
    address = (options.host, options.port)
    senders = [
        Sender(address, f"{options.seed}.{number}", options.matches)
        for number in range(options.threads)
    ]
    share = -(-options.requests // options.threads)
    slow = SlowOnes(address, options.slow)
    slow.start()
    began = time.monotonic()
    workers = [
        threading.Thread(target=lambda own=sender: [own.step() for _ in range(share)], daemon=True)
        for sender in senders
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    seconds = time.monotonic() - began
    slow.end()
    return report(senders, slow, share * options.threads, seconds)


def report(senders: list[Sender], slow: SlowOnes, requests: int, seconds: float) -> int:
    """Print what was sent and answered; return the exit code."""
    counts: Counter[tuple[str, str]] = Counter()
    failures: list[str] = []
    failed = sum(sender.failed for sender in senders)
    for sender in senders:
        counts += sender.counts
        failures += sender.failures
    print(f"{'kind':<18}{'200':>8}{'400':>8}{'none':>8}{'mean ms':>9}")
    for kind in sorted({kind for kind, _ in counts}):
        cells = [counts[kind, status] for status in ("200", "400", "none")]
        mean = 1000 * sum(sender.seconds[kind] for sender in senders) / sum(cells)
        print(f"{kind:<18}" + "".join(f"{cell:>8}" for cell in cells) + f"{mean:>9.1f}")
    print(f"slow connections: {slow.opened} opened, {slow.dropped} ended by the player")
    print(f"{requests} requests in {seconds:.1f} s: {requests / seconds:.0f} per second")
    for failure in failures[:_SHOWN]:
        print(f"FAILURE {failure}")
    print(json.dumps({"requests": requests, "seconds": seconds, "failures": failed}))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
