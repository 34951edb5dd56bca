"""Commands about runs: search, resume, status, runs, finds, merge."""

from __future__ import annotations

import os
import shlex
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from datetime import datetime, timedelta
from types import SimpleNamespace

from .. import options, report
from ..complaints import complain
from ..config import CONFIG
from ..errors import STOPPED, BeggarError, CannotWrite, InputError, NameTaken, RunInUse
from ..finds import Find
from ..hook import FindHook, read_command
from ..log import LogFile
from ..merge import merge as merge_runs
from ..objects import CHECKED_KEYS, LOOP_ORDERS, checked_object, in_order, shown_object, status_object
from ..options import Argument, Command, Setting
from ..pool import start_method
from ..progress import ProgressLine
from ..rules import Rules
from ..run import Bounds, Run, Why
from ..selftest import selftest
from ..settings import MAX_KEEP, MAX_LEG_GAMES, MAX_SEARCHERS, default_for, new_settings
from ..status import read_status
from ..stop import StopFlag, stop_on_signals
from ..paths import RESULTS, check_space, dated_names, is_pipe, list_runs, name_taken, run_path
from ..store import Store
from ..strategies import PREFERRED, STRATEGIES, Option, get
from .common import FORMAT, FORMAT_NOT_JSON, JSON, PLAYERS, RULES, RUN, print_result
from .crew import CREW, Crew, at_work

BEST_SHOWN = 5  # finds printed when a search ends


# ---- search and resume ----


def search(args: SimpleNamespace) -> int:
    """Create a run and work on it. Whatever can be wrong is looked at before its file is made."""
    settings = _settings(args)
    bounds = _bounds(args, settings)
    name = args.run
    path = name if name is None else run_path(name)
    if path is not None and os.path.lexists(path):
        raise name_taken(path, name)
    selftest()
    with _folder_for_runs(RESULTS) if path != name or name is None else nullcontext():
        return _work(lambda: _created(name, settings), name, args, bounds, settings)


def _created(name: str | None, settings: Mapping[str, object]) -> Run:
    """A new run; without a name it gets a dated one that nobody else has, not even somebody who begins just now."""
    if name is not None:
        return Run.create(run_path(name), settings)
    for name in dated_names(str(settings["strategy"]), RESULTS):
        try:
            return Run.create(run_path(name), settings)
        except (NameTaken, RunInUse):
            continue


def resume(args: SimpleNamespace) -> int:
    """Go on with a run."""
    path = run_path(args.run)
    with Store.open(path) as store:
        settings = store.settings
    bounds = _bounds(args, settings)
    selftest()
    return _work(lambda: Run.open(path, write=True), args.run, args, bounds, settings)


@contextmanager
def _folder_for_runs(folder: str) -> Iterator[None]:
    """Have the folder that runs with a plain name live in; what fails before anything is in it takes it away again."""
    is_new = not os.path.lexists(folder)
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as e:
        raise CannotWrite(f"{folder}: cannot make this folder for runs: {e.strerror}") from None
    try:
        yield
    except BaseException:
        if is_new:
            with suppress(OSError):
                os.rmdir(folder)  # only if it is empty
        raise


def _settings(args: SimpleNamespace) -> dict[str, object]:
    """The settings of a new run, from the options."""
    plan = get(args.strategy) if args.strategy else default_for(args.__dict__["for"] or "cards", args.rules, args.players)
    own = {option.name: option for option in plan.options}
    given = {}
    for setting in OWN:
        value = getattr(args, setting.key)
        if setting.key in own:
            given[setting.key] = _option_value(own[setting.key], value, args.sources.get(setting.key))
        elif args.sources.get(setting.key, "").startswith("--"):
            raise InputError(f"{setting.flag} is no option of strategy {plan.name}; it has {_flags(plan.options) or 'none of its own'}")
    return new_settings(
        plan.name,
        rules=args.rules,
        players=args.players,
        objective=args.__dict__["for"],
        seed=int.from_bytes(os.urandom(6), "big") if args.seed is None else args.seed,
        searchers=args.searchers,
        keep=args.keep,
        threshold=args.threshold,
        leg_games=args.leg_games,
        **given,
    )


def _option_value(option: Option, value: str | bool | None, source: str | None) -> object:
    """What a strategy's own option was given; None if nothing."""
    if value is None or option.type is bool:
        return value
    try:
        if option.choices:
            value = options.one_of(*map(str, option.choices))(value)
        if option.type is int:
            return options.whole(-options.MAX_WHOLE if option.minimum is None else option.minimum)(value)
        return option.type(value)
    except ValueError:
        raise InputError(f"{source} {value[:40]!r}: a number is wanted") from None
    except InputError as e:
        raise InputError(f"{source} {value[:40]!r}: {e}") from None


def _bounds(args: SimpleNamespace, settings: Mapping[str, object]) -> Bounds:
    """When to stop, from the options."""
    games = [n for n in (args.games, args.legs and args.legs * int(settings["leg_games"])) if n is not None]
    deadline = None
    if args.until is not None:
        now = datetime.now()
        until = datetime.combine(now.date(), args.until)
        deadline = (until if until > now else until + timedelta(days=1)).timestamp()
    return Bounds(seconds=args.time, deadline=deadline, games=min(games, default=None), until_cards=args.until_cards)


def _work(opened: Callable[[], Run], name: str | None, args: SimpleNamespace, bounds: Bounds, settings: Mapping[str, object]) -> int:
    """Work on a run until a bound is met, and say what came of it. A name of None is the new run's to tell."""
    line = ProgressLine(str(settings["objective"]))
    log = _log_file(args.log_file, name) if args.log_file else None
    try:
        with at_work(args, settings, log, line.say) as crew, opened() as run:
            path = run.store.path
            name = name or os.path.basename(path).removesuffix(".run")
            if not args.quiet:
                line.say(_announcement(name, path, run.settings, crew.text))
                if warning := check_space(path):
                    line.say(f"beggar: warning: {warning}")
                if wrong := run.store.distrusted():
                    line.say(f"beggar: warning: {report.wrong_workers_in_words(wrong, time.time())}")
            why = _with_signals(run, name, args, bounds, crew, line)
    finally:
        if log is not None:
            log.close()
    if args.audit and not args.quiet:
        line.say(report.audit_in_words(run.audited, run.differed))
    state = read_status(path)
    with Store.open(path) as store, store.snapshot():
        rules = Rules.of_settings(store.settings)
        found = in_order(store.finds(), None, str(store.settings["objective"]), rules)[:BEST_SHOWN]
    best = [shown_object(f, rules) for f in found]
    if args.json:
        print_result(report.json_line({**status_object(state), "best_finds": best}) + "\n")
    else:
        print_result(report.end_of_work(state, best, shlex.quote(name)))
    return STOPPED if why is Why.STOPPED else 0


def _log_file(name: str, run: str | None) -> LogFile:
    """The log; records are added to a file that exists, and no run must be that file."""
    real = os.path.realpath(name)
    suffixes = ("", "-journal", ".lock")
    of_this_run = run is not None and real in {os.path.realpath(run_path(run)) + suffix for suffix in suffixes}
    if of_this_run or real.endswith(tuple(".run" + suffix for suffix in suffixes)):
        raise InputError(f"--log-file {name!r}: is a file of a run")
    if is_pipe(name):
        raise InputError(f"--log-file {name!r}: is a pipe; a file is wanted")
    return LogFile(name, start_method())


def _with_signals(run: Run, name: str, args: SimpleNamespace, bounds: Bounds, crew: Crew, line: ProgressLine) -> Why:
    rules = Rules.of_settings(run.settings)
    hook = FindHook(args.on_find, name, line.say, show=lambda find: checked_object(find, rules)) if args.on_find else None

    def on_progress(now) -> None:
        if not args.quiet:
            line.update(now)
        if hook is not None:
            hook.poll()

    def on_find(find: Find) -> None:
        if hook is not None:
            hook.add(find)

    try:
        with stop_on_signals(StopFlag(), lambda text: None if args.quiet else line.say(text)) as stop:
            return run.work(bounds, **crew.options, audit=args.audit, stop=stop, on_progress=on_progress, on_find=on_find)
    finally:
        line.close()
        if hook is not None:
            hook.close()


def _announcement(name: str, path: str, settings: Mapping[str, object], workers: str) -> str:
    shown = name if path == name else f"{name} ({path})"
    return (
        f"run {shown}: {report.search_in_words(settings)}, {workers}\n"
        f"Ctrl-C stops it cleanly; beggar status {shlex.quote(name)} shows how it goes from elsewhere"
    )


# ---- what there is ----


def status(args: SimpleNamespace) -> int:
    """Show how a run stands."""
    state = read_status(run_path(args.run))
    print(report.json_line(status_object(state)) + "\n" if args.json else report.status_text(state, time.time()), end="")
    return 0


def finds(args: SimpleNamespace) -> int:
    """List what a run found."""
    kind = args.__dict__["for"]
    with Store.open(run_path(args.run)) as store, store.snapshot():
        settings = store.settings
        found = [f for f in store.finds() if kind is None or f.infinite == (kind == "infinite")]
    rules = Rules.of_settings(settings)
    by = args.by or (kind if kind != "infinite" else "lead-in")
    found = in_order(found, by, str(settings["objective"]), rules, args.smallest)[: args.top]
    if args.format in ("json", "csv"):
        rows = [checked_object(f, rules) for f in found]
        print(report.json_list(rows) if args.format == "json" else report.csv_text(rows, CHECKED_KEYS), end="")
    else:
        print(report.finds_table([shown_object(f, rules) for f in found], args.format), end="")
    return 0


def runs(args: SimpleNamespace) -> int:
    """List the runs of a folder. The status is the highest of those that cannot be read, 0 if all can."""
    if args.folder is not None and not os.path.isdir(args.folder):
        raise InputError(f"{args.folder[:200]!r}: no such folder")
    rows = []
    highest = 0
    for path in list_runs(args.folder or RESULTS):
        try:
            rows.append(report.run_row(read_status(path)))
        except BeggarError as e:
            complain(e)
            highest = max(highest, e.exit_status)
    if args.json:
        print_result("".join(report.json_line(row) + "\n" for row in rows))
    elif rows:
        print_result(report.table(rows, list(rows[0])))
    elif not highest:
        if args.folder is None:
            print("no runs in results/; `beggar search` makes one", file=sys.stderr)
        else:
            print(f"no runs in {args.folder}", file=sys.stderr)
    return highest


def merge(args: SimpleNamespace) -> int:
    """Make one run of several scans."""
    made = merge_runs(run_path(args.out), [run_path(name) for name in args.runs])
    if args.json:
        print(report.json_line(made.as_json()))
    else:
        print("\n".join(made.as_text()))
    return 0


# ---- their options ----


def _flags(own: tuple[Option, ...]) -> str:
    return ", ".join("--" + option.name.replace("_", "-") for option in own)


def _strategy_settings() -> tuple[Setting, ...]:
    """The own options of all strategies; one that several have is one setting, read as text here."""
    found: dict[str, tuple[Option, list[str]]] = {}
    for strategy in STRATEGIES.values():
        for option in strategy.options:
            found.setdefault(option.name, (option, []))[1].append(strategy.name)
    settings = []
    for option, names in found.values():
        metavar = "|".join(map(str, option.choices)) if option.choices else "N" if option.type in (int, float) else "X"
        default = f" (default: {option.default})" if option.default not in (None, "", False) else ""
        settings.append(
            Setting(
                option.name.replace("_", "-"),
                option.help + default,
                None if option.type is bool else options.word,
                metavar=metavar,
                group=f"options of strategy {' and '.join(names)}",
            )
        )
    return tuple(settings)


_STOP = "when to stop (the first that is met; without any: Ctrl-C)"
_HOW = "how"

BOUNDS = (
    Setting("time", "after so long from now: 90s, 15m, 8h, 1h30m", options.duration, metavar="T", group=_STOP),
    Setting("until", "at this time of day, the next such: 07:00", options.clock, metavar="HH:MM", group=_STOP),
    Setting("games", "when the run has so many games, in whole legs", options.whole(), metavar="N", group=_STOP),
    Setting("legs", "when the run has so many legs", options.whole(1, 10**9), metavar="N", group=_STOP),
    Setting("until-cards", "when a finite game of so many cards is known", options.whole(), metavar="N", group=_STOP),
)
HOW = (
    *CREW,
    Setting("audit", "do this share of the legs twice, by different workers, and compare: 0.01", options.share, 0.0, "S", group=_HOW),
    Setting(
        "on-find", "run this when there is a new best or an infinite deal; the deals come on its standard input as JSON",
        read_command, metavar="COMMAND", group=_HOW,
    ),  # fmt: skip
    Setting("log-file", "write a log of all processes", options.word, metavar="F", group=_HOW),
    Setting("quiet", "no progress", default=False, group=_HOW),
    JSON,
    CONFIG,
)
OBJECTIVES = ("cards", "tricks", "infinite")
FIXED = (
    Setting("for", "what makes a deal good: cards (default), tricks or infinite", options.one_of(*OBJECTIVES), metavar="WHAT"),
    Setting("strategy", "how deals are looked for; see below", options.one_of(*STRATEGIES), metavar="NAME"),
    RULES,
    PLAYERS,
    Setting("seed", "where chance starts (default: drawn and printed)", options.whole(0), metavar="S"),
    Setting("searchers", "independent lines of search (default: 1024)", options.whole(1, MAX_SEARCHERS), metavar="K"),
    Setting("keep", "finite finds to keep, the best (default: 1000); infinite ones are always kept", options.whole(1, MAX_KEEP), metavar="N"),
    Setting("threshold", "keep no finite find below this (default: by strategy)", options.whole(), metavar="N"),
    Setting("leg-games", "games in a leg, the unit of work (default: by strategy)", options.whole(1, MAX_LEG_GAMES), metavar="N"),
)
OWN = _strategy_settings()
_DEFAULTS = "; ".join(f"{objective}: {', else '.join(PREFERRED[objective])}" for objective in OBJECTIVES)
STRATEGY_NOTES = "\n".join(["strategies:", *(f"  {s.name:10} {s.summary}" for s in STRATEGIES.values()), "", f"by default, for {_DEFAULTS}"])

SEARCH = Command(
    "search",
    "Create a run and work on it.",
    search,
    (Argument("RUN", RUN.help + "; left out, a dated name is made", "?"),),
    (*FIXED, *OWN, *BOUNDS, *HOW),
    STRATEGY_NOTES,
)
RESUME = Command(
    "resume",
    "Go on with a run. What it finds does not depend on when, where and with how many workers.",
    resume,
    (RUN,),
    (*BOUNDS, *HOW),
    refused={
        s.flag: "is fixed when a run is created; `beggar search` makes a new one" for s in (*FIXED, *OWN)
    },
)
STATUS = Command("status", "How a run stands, while somebody works on it or not.", status, (RUN,), (JSON, CONFIG))
FINDS = Command(
    "finds",
    "What a run found.",
    finds,
    (RUN,),
    (
        Setting("top", "so many of them (default: 10), or 'all'", options.whole_or_all, 10, "N"),
        Setting("by", f"order: cards or tricks; or, of infinite games only, {', '.join(LOOP_ORDERS)} (default: infinite games by lead-in, then finite ones by what the run is for)", options.one_of("cards", "tricks", *LOOP_ORDERS), metavar="WHAT"),
        Setting("smallest", "smallest first", default=False),
        Setting("for", "cards or tricks: finite games only; infinite: the others", options.one_of(*OBJECTIVES), metavar="WHAT"),
        FORMAT,
        CONFIG,
    ),
    "csv and json play every find again on every engine, and have the keys of beggar verify --json, searcher, leg and found_at.",
    refused=FORMAT_NOT_JSON,
)
RUNS = Command(
    "runs", "The runs in a folder: state, best, last commit.", runs, (Argument("FOLDER", "default: results", "?"),), (JSON, CONFIG)
)
MERGE = Command(
    "merge",
    "Make one run of scans of parts of one space; overlaps and gaps are named, and `beggar resume OUT` fills gaps.",
    merge,
    (Argument("OUT", "the new run"), Argument("RUNS", "scans of the same rules, with the same settings", "+")),
    (JSON, CONFIG),
)
