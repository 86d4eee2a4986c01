"""What callers give: each argument of each method with all that it is not."""

import asyncio
import inspect
import math
import signal
import unittest
import unittest.mock

import doyen
import doyen.aio
from cluster import LIMIT_S, TestCase


class Nasty:
    """Something that cannot even be shown."""

    def __repr__(self):
        raise RuntimeError


NOWHERE = "/nonexistent/x.sock"  # What is not refused is not reached.
EVERYTHING = (
    None, True, False, 0, 1, -1, 1.5, -0.5, 10**400, -(10**400), 10**5000, math.nan, math.inf, -math.inf, 1j,
    "", "1", "5s", "a b", "\ud800", "x" * 200, "\0", "two\nlines", b"", b"x", bytearray(b"x"), (), [], ["x"],
    [("a", "b")], {}, {"a": "b"}, {"a": 1}, {1: "a"}, {"\ud800": "x"}, {"a": "\ud800"}, set(), object(), str, Nasty(),
)  # fmt: skip


def is_in(*values):
    return lambda value: any(type(value) is type(one) and value == one for one in values)


def is_number(value):
    return type(value) in (int, float) and 0 <= value < 1e300


def is_text(value):
    return isinstance(value, str) and "\ud800" not in value


def is_limit(value):
    return is_number(value) or is_in(math.inf)(value)


def or_none(takes):
    return lambda value: value is None or takes(value)


NAME = is_in("1", "5s")
NAMED = lambda value: is_text(value) and value != ""  # noqa: E731
FLAG = is_in(True, False)
TAG = lambda value: is_text(value) and value not in ("", "a b", "two\nlines")  # noqa: E731

# What each argument takes of all that; by its name, or by the method and its name.
TAKES = {
    "control": or_none(is_in("1", "5s", "a b", "two\nlines")),
    "expect_user": or_none(is_in(0, 1, "1")),
    "path": lambda value: False,
    "resume": or_none(is_in("1", "5s", "a b")),
    "members": or_none(is_in(1)),
    "at_least": is_in(False),
    "acting": FLAG,
    "guard_met": FLAG,
    "name": or_none(NAMED),
    "wait.name": or_none(NAME),
    "replace_voter.name": NAMED,
    "by": or_none(NAMED),
    "gone": or_none(NAME),
    "coordinator": or_none(NAME),
    "tag": or_none(TAG),
    "timeout": is_limit,
    "leading.timeout": or_none(is_limit),
    "campaign.timeout": or_none(is_limit),
    "changes": is_in({}, {"a": "b"}),
    "role": NAMED,
    "policy": or_none(lambda value: False),
    "value": or_none(is_text),
    "holders": or_none(is_in(1)),
    "priority": or_none(is_in(0, 1)),
    "preempt": or_none(FLAG),
    "preempt_after": or_none(is_number),
    "need": or_none(TAG),
    "grace": or_none(is_number),
    "on_lost": or_none(callable),
    "key": lambda value: is_text(value) or isinstance(value, (bytes, bytearray)),
    "partitions": is_in(1),
    "seconds": is_limit,
}

# What has to be given besides.
BESIDES = {
    "Client": {"control": NOWHERE},
    "get": {"path": "/v1/status"},
    "wait": {"coordinator": "athens", "timeout": 0},
    "set_tags": {"changes": {}, "timeout": 0},
    "transfer": {"timeout": 0},
    "drain": {"timeout": 0},
    "undrain": {"timeout": 0},
    "resign": {"role": "job"},
    "replace_voter": {"name": "athens", "timeout": 0},
    "leading": {"timeout": 0},
    "campaign": {"role": "job", "policy": "priority", "timeout": 0},
    "partition_of": {"key": "x", "partitions": 1},
}


def entered(block):
    """A block, or an iteration, that is entered."""
    if inspect.isgenerator(block):
        return next(block)
    if hasattr(block, "__enter__"):
        with block:
            return None
    return block


async def entered_here(block):
    if inspect.isasyncgen(block):
        return await anext(block)
    if hasattr(block, "__aenter__"):
        async with block:
            return None
    return await block if inspect.isawaitable(block) else block


class Arguments(unittest.TestCase):
    def look(self, method, function, call):
        """Tries everything for each argument of the function."""
        for name, parameter in inspect.signature(function).parameters.items():
            takes = TAKES.get(f"{method}.{name}", TAKES.get(name))
            self.assertIsNotNone(takes, f"{method} has an argument {name} of which this test knows nothing")
            for value in EVERYTHING:
                arguments = {**BESIDES.get(method, {}), name: value}
                if takes(value):
                    continue
                with self.subTest(method=method, argument=name, value=type(value)):
                    with self.assertRaises(doyen.Error) as caught:
                        call(arguments)
                    self.assertEqual(caught.exception.code, doyen.USAGE, caught.exception)
                    self.assertIn(name, str(caught.exception))
                    self.assertNotIn("\n", str(caught.exception))
                    self.assertLess(len(str(caught.exception)), 250)

    def methods(self, kind):
        return [name for name, _ in inspect.getmembers(kind, inspect.isfunction) if name[0] != "_"]

    def test_are_refused_when_they_are_not_what_is_wanted(self):
        client = doyen.Client(NOWHERE)
        self.look("Client", doyen.Client, lambda arguments: doyen.Client(**arguments))
        self.look("partition_of", doyen.partition_of, lambda arguments: doyen.partition_of(**arguments))
        for method in self.methods(doyen.Client):
            bound = getattr(client, method)
            self.look(method, bound, lambda arguments, bound=bound: entered(bound(**arguments)))

    def test_are_refused_by_aio_as_well(self):
        client = doyen.aio.Client(NOWHERE)
        self.look("Client", doyen.aio.Client, lambda arguments: doyen.aio.Client(**arguments))
        with asyncio.Runner() as runner:
            for method in self.methods(doyen.aio.Client):

                async def ask(arguments, bound=getattr(client, method)):
                    await entered_here(bound(**arguments))

                self.look(method, getattr(client, method), lambda arguments: runner.run(ask(arguments)))

    def test_that_are_taken_reach_the_daemon(self):
        client = doyen.Client(NOWHERE)
        for method in self.methods(doyen.Client):
            bound = getattr(client, method)
            for name in inspect.signature(bound).parameters:
                for value in EVERYTHING:
                    takes = TAKES.get(f"{method}.{name}", TAKES[name])
                    if not takes(value) or (name == "timeout" and value):
                        continue
                    arguments = {**BESIDES.get(method, {}), name: value}
                    if name == "coordinator" and value is None:
                        arguments["members"] = 1
                    if method == "watch":
                        continue  # It waits for a daemon that it has heard of.
                    with self.subTest(method=method, argument=name, value=value):
                        with self.assertRaises(doyen.Error) as caught:
                            entered(bound(**arguments))
                        self.assertIn(caught.exception.code, (doyen.UNREACHABLE, doyen.TIMED_OUT))

    def test_that_contradict_each_other_are_refused(self):
        client = doyen.Client(NOWHERE)
        table = (
            ("wait", {"name": "rome", "gone": "rome"}, "cannot be a member and gone at once"),
            ("wait", {"coordinator": "rome", "gone": "rome"}, "cannot coordinate and be gone at once"),
            ("wait", {"acting": True, "at_least": True}, "at_least is True: it goes with members"),
            ("wait", {}, "say what to wait for"),
            ("campaign", {"role": "job", "priority": 1}, "priority is 1: it goes with policy='priority' alone"),
            ("campaign", {"role": "job", "preempt": False, "preempt_after": 5}, "does not go with preempt=False"),
        )
        for method, arguments, words in table:
            with self.subTest(method=method, **arguments):
                with self.assertRaisesRegex(doyen.Error, words) as caught:
                    entered(getattr(client, method)(**arguments, timeout=0))
                self.assertEqual(caught.exception.code, doyen.USAGE)

    def test_what_is_said_names_argument_value_and_remedy(self):
        client = doyen.Client(NOWHERE)
        table = (
            (lambda: client.campaign("x", preempt_after="5s"), "preempt_after is '5s': give seconds, 0 to 86400"),
            (lambda: client.campaign(None), "role is None: give a name"),
            (lambda: client.leading(on_lost="x"), "on_lost is 'x': give a function that takes no argument"),
            (lambda: client.set_tags("a=b", timeout=1), "changes is 'a=b': give a dict of tags, as in {\"zone\": \"a\"}"),
            (lambda: client.set_tags({"a": 1}, timeout=1), "changes['a'] is 1: give texts, or None for a tag that goes"),
            (lambda: client.watch(5), "resume is 5: give the token that an earlier event has as its resume"),
            (lambda: client.wait(acting="no", timeout=1), "acting is 'no': give True or False"),
            (lambda: client.wait(members=3, timeout="1s"), "timeout is '1s': give the time in seconds within which it has to be done"),
            (lambda: doyen.partition_of("x", "16"), "partitions is '16': give a number as doyend --partitions has it, 1 to 4096"),
        )
        for ask, words in table:
            with self.assertRaises(doyen.Error) as caught:
                entered(ask())
            self.assertEqual(str(caught.exception), words)

    def test_variables_that_are_empty_are_refused(self):
        for variable in ("DOYEN_CONTROL", "DOYEN_EXPECT_USER"):
            with unittest.mock.patch.dict("os.environ", {variable: ""}):
                with self.assertRaisesRegex(doyen.Error, f"{variable} is empty: .* or unset it") as caught:
                    doyen.Client(NOWHERE if variable == "DOYEN_EXPECT_USER" else None)
                self.assertEqual(caught.exception.code, doyen.USAGE)

    def test_an_account_may_be_a_number(self):
        self.assertEqual(doyen.Client(NOWHERE, expect_user=0)._expected, 0)
        self.assertEqual(doyen.Client(NOWHERE, expect_user="4711")._expected, 4711)


class Daemon(TestCase):
    """What the daemon alone can know."""

    def test_a_role_that_needs_a_tag_says_so(self):
        cluster = self.cluster(1)
        client = doyen.Client(cluster.control("athens"))
        client.wait(members=1, timeout=LIMIT_S)
        aio = doyen.aio.Client(cluster.control("athens"))

        async def stand():
            async with aio.campaign("job", need="zone=q", timeout=0.3):
                pass

        for ask in (
            lambda: entered(client.campaign("job", need="zone=q", timeout=0.3)),
            lambda: asyncio.run(stand()),
        ):
            with self.assertRaises(doyen.Error) as caught:
                ask()
            self.assertEqual(caught.exception.code, doyen.TIMED_OUT)
            self.assertEqual(
                str(caught.exception),
                "timed out after 0.3 s: athens has no tag zone=q, which the role job needs: doyen tag set zone=q",
            )
        client.drain(timeout=LIMIT_S)
        with self.assertRaisesRegex(doyen.Error, "athens is drained, and holds no role: doyen undrain athens"):
            entered(client.campaign("job", timeout=0.3))

    def test_a_daemon_that_says_no_more_leaves_open_why_a_role_is_not_held(self):
        cluster = self.cluster(1)
        control = cluster.control("athens")
        doyen.Client(control).wait(members=1, timeout=LIMIT_S)
        cluster.signal("athens", signal.SIGSTOP)
        for words in (
            doyen.Client(control)._not_held("job", None),
            asyncio.run(doyen.aio.Client(control)._not_held("job", None)),
        ):
            self.assertIn("the role was not given, and why is not known", words)

    def test_a_token_that_it_does_not_know_is_told_as_an_argument(self):
        client = doyen.Client(self.cluster(1).control("athens"))
        client.wait(members=1, timeout=LIMIT_S)
        with self.assertRaises(doyen.Error) as caught:
            next(client.watch("5m"))
        self.assertEqual(caught.exception.code, doyen.USAGE)
        self.assertRegex(str(caught.exception), "resume is '5m': give the token")

    def test_a_lead_takes_times_alone(self):
        client = doyen.Client(self.cluster(1, "--profile", "wan").control("athens"))
        client.wait(members=1, timeout=LIMIT_S)
        with client.leading(timeout=LIMIT_S) as lead:
            for value in EVERYTHING:
                if not is_limit(value):
                    for sleep in (lead.sleep, lead.doze):
                        with self.assertRaisesRegex(doyen.Error, "seconds is ") as caught:
                            sleep(value)
                        self.assertEqual(caught.exception.code, doyen.USAGE)
            with self.assertRaisesRegex(doyen.Error, "others is 'x': give a socket"):
                lead.doze(0, "x")

    def test_there_are_no_voters_under_another_guard(self):
        client = doyen.Client(self.cluster(1).control("athens"))
        client.wait(members=1, timeout=LIMIT_S)
        with self.assertRaisesRegex(doyen.Error, "the guard is none, not strict; strict is chosen when all members start") as caught:
            client.replace_voter("athens", timeout=LIMIT_S)
        self.assertNotIn("doyen change", str(caught.exception))


if __name__ == "__main__":
    unittest.main()
