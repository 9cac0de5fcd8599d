"""Builds the Stan programs of the corpus: a sampler of Stan's, and a library of BridgeStan's for nutpie."""

import hashlib
import re
import resource
import subprocess
import sysconfig
from pathlib import Path

HERE = Path(__file__).resolve().parent
FLAGS = "-std=c++17 -O3 -march=native -w -fPIC -D_REENTRANT -DBOOST_DISABLE_ASSERTS -DEIGEN_NO_DEBUG".split()


def without_generated(program):
    """The program less its generated quantities, which no contestant is to pay for."""
    return re.split(r"^\s*generated quantities\s*\{", program, flags=re.MULTILINE)[0]


def run(*args):
    """Runs a program. Returns its CPU seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([str(a) for a in args], capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise RuntimeError(f"{Path(args[0]).name}: {(done.stderr or done.stdout).strip()[-400:]}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


class Builder:
    """Compiles what is not in env/stan yet. Names of files hold a hash of what they are made of."""

    def __init__(self, env):
        self.env, self.out = env, env / "stan"
        self.stan = Path(sysconfig.get_paths()["purelib"]) / "httpstan"
        self.bridge = env / "bridgestan" / "src"
        self.include = [f"-I{self.stan / 'include'}", f"-I{self.bridge}"]
        libraries = [self.stan / "lib" / f"libsundials_{x}.a" for x in ("cvodes", "idas", "kinsol", "nvecserial")]
        self.libraries = [*libraries, self.stan / "lib" / "libtbb.so.2", f"-Wl,-rpath,{self.stan / 'lib'}", "-lpthread"]
        self.out.mkdir(exist_ok=True)

    def made(self, target, make):
        """The file target, made by make(part) where it is not there, and the CPU seconds that took."""
        cost = target.with_suffix(target.suffix + ".cpu")
        if not cost.exists():
            part = target.with_suffix(".part" + target.suffix)
            seconds = make(part)
            part.rename(target)
            cost.write_text(str(seconds))
        return target, float(cost.read_text())

    def header(self, kind):
        """A precompiled header of Stan, with or without threads: it halves what a model takes."""
        source = self.out / kind / "model.hpp"
        source.parent.mkdir(exist_ok=True)
        override = self.stan / "include" / "stan_sundials_printf_override.hpp"
        source.write_text(f'#include "{override}"\n#include <stan/model/model_header.hpp>\n')
        flags = FLAGS + (["-DSTAN_THREADS"] if kind == "threads" else [])
        gch = source.with_suffix(".hpp.gch")
        self.made(gch, lambda part: run("g++", *flags, *self.include, "-x", "c++-header", source, "-o", part))
        return [*flags, *self.include, "-include", source]

    def common(self, source, kind):
        target = self.out / f"{source.stem}-{kind}-{digest(source.read_text())}.o"
        return self.made(target, lambda part: run("g++", *self.header(kind), "-c", source, "-o", part))[0]

    def translated(self, name, program):
        target = self.out / f"{name}-{digest(program)}.cpp"

        def translate(part):
            text = target.with_suffix(".stan")
            text.write_text(program)
            return run(self.stan / "stanc", "--O1", f"--o={part}", text)

        return self.made(target, translate)[0]

    def object(self, source, kind):
        target = source.with_suffix(f".{kind}.o")
        return self.made(target, lambda part: run("g++", *self.header(kind), "-c", source, "-o", part))

    def linked(self, target, *args):
        return self.made(target, lambda part: run("g++", *args, "-o", part, *self.libraries))[0]

    def sampler(self, name, program):
        """The program that samples a model with Stan, and the CPU seconds that its compilation took."""
        compiled, cost = self.object(self.translated(name, program), "plain")
        common = self.common(HERE / "sampler.cpp", "plain")
        return self.linked(compiled.with_name(f"{compiled.stem}-{common.stem}"), compiled, common), cost

    def library(self, name, program):
        """The library of a model for nutpie, which asks for Stan with threads, and the CPU seconds likewise."""
        compiled, cost = self.object(self.translated(name, program), "threads")
        common = self.common(self.bridge / "bridgestan.cpp", "threads")
        return self.linked(compiled.with_suffix(".so"), "-shared", compiled, common), cost


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()[:12]
