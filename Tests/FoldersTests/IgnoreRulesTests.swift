import FileRecords
import Testing

@testable import Folders

@Suite struct `Patterns of ignored files` {
    private static func rules(_ lines: String...) -> IgnoreRules {
        IgnoreRules(Array(lines.joined(separator: "\n").utf8))
    }

    @Test(arguments: [
        // A name, at any depth, and everything in a folder of that name.
        ("build", ["build", "a/build", "build/x", "a/build/x"], ["builds", "abuild", "a/builds"]),
        ("*.o", ["x.o", "a/x.o", ".o", "x.o/y"], ["x.oo", "o"]),
        ("?.txt", ["a.txt", "ü.txt", "d/a.txt"], ["ab.txt", ".txt"]),
        ("a*c", ["ac", "abc", "abcbc"], ["abcd", "a/c"]),
        // With a slash inside or at the beginning it is the path.
        ("/build", ["build", "build/x"], ["a/build"]),
        ("a/b", ["a/b", "a/b/c"], ["x/a/b", "a/c"]),
        ("a/*.c", ["a/x.c"], ["a/b/x.c", "x.c"]),
        // Any number of folders.
        ("**/b", ["b", "a/b", "a/a/b", "a/b/c"], ["ab"]),
        ("a/**", ["a/b", "a/b/c"], ["a", "b/a"]),
        ("a/**/b", ["a/b", "a/x/b", "a/x/y/b"], ["a/xb", "b"]),
        ("a/**/b/**/c", ["a/b/c", "a/x/b/y/z/c"], ["a/b", "a/c"]),
        // Folders alone.
        ("tmp/", ["tmp/x", "a/tmp/x"], ["tmp", "a/tmp"]),
        // Spaces at the end, and a carriage return, are no part of it.
        ("x.o  \r", ["x.o"], ["x.o  "]),
        // These stand for themselves.
        ("[ab]", ["[ab]"], ["a", "b"]),
        ("a\\*", ["a\\b"], ["a*"]),
        ("**", ["a", "a/b"], []),
    ])
    func `fit some paths and not others`(pattern: String, ignored: [String], kept: [String]) {
        let rules = Self.rules(pattern)
        for text in ignored { #expect(rules.isIgnored(path(text)), "\(text)") }
        for text in kept { #expect(!rules.isIgnored(path(text)), "\(text)") }
    }

    @Test func `are lines, of which some are none`() {
        #expect(Self.rules("# *", "", "   ", "/", "!") == .none)
        #expect(!Self.rules("# *").isIgnored(path("# x")))
    }

    @Test func `take back what earlier ones say, but not in a folder that is ignored`() {
        let rules = Self.rules("*.o", "!keep.o", "out/", "!out/keep")
        #expect(rules.isIgnored(path("a.o")))
        #expect(!rules.isIgnored(path("keep.o")) && !rules.isIgnored(path("d/keep.o")))
        #expect(rules.isIgnored(path("out/keep")))
        #expect(Self.rules("!keep.o", "*.o").isIgnored(path("keep.o")))
    }

    @Test func `have no say about Kairan's own files`() {
        for text in [".kairan-folder", ".kairan-trash/2026-07-21/a", "d/.kairan-part-12"] {
            #expect(Self.rules("!.kairan-*", "!**").isIgnored(path(text)), "\(text)")
        }
        // The patterns themselves are kept in step.
        #expect(!IgnoreRules.none.isIgnored(path(".kairanignore")))
        #expect(Self.rules("tmp/").isIgnoredFolder(path("tmp")))
    }

    @Test func `take no longer than their length for a name that almost fits`() {
        let rules = Self.rules(String(repeating: "a*", count: 100) + "b")
        #expect(!rules.isIgnored(path(String(repeating: "a", count: 250))))
    }
}

@Suite struct `Files that begin to be ignored` {
    @Test func `are neither deleted nor uploaded, and come back as new ones`() {
        var bench = CoreBench.inStep(["a", "b"])
        bench.begin()
        bench.core.setRules(IgnoreRules(Array("a".utf8)))
        #expect(bench.decide().isEmpty)
        #expect(bench.core.takeChanges() == [.forget(path("a"))])
        // While it is ignored, it may go on either side.
        bench.remove("a")
        bench.scan()
        #expect(bench.decide().isEmpty)
        bench.core.setRules(.none)
        #expect(bench.decide() == [.download(CoreBench.file("a", "a"), expecting: .nothing)])
    }

    @Test func `are not uploaded before the patterns of another device are here`() {
        var bench = CoreBench()
        bench.put("a")
        let patterns = CoreBench.file(".kairanignore", "patterns")
        bench.receive(patterns, version: "v1")
        bench.begin()
        let download = FolderDecision.download(patterns, expecting: .nothing)
        #expect(bench.decide() == [download])
        #expect(bench.decide().isEmpty)
        let identity = bench.put(".kairanignore")
        bench.finish(download, .placed(identity, digest("patterns")))
        bench.core.setRules(IgnoreRules(Array("a".utf8)))
        #expect(bench.decide().isEmpty)
        #expect(!bench.core.hasWork)
    }
}
