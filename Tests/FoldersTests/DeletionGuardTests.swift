import FileRecords
import Testing

@testable import Folders

@Suite struct `Many deletions at once` {
    private static let names = (0..<120).map { "file\($0)" }

    private static func without(_ count: Int, confirms: Bool = false) -> CoreBench {
        var bench = CoreBench.inStep(names, confirms: confirms)
        for name in names.prefix(count) { bench.remove(name) }
        bench.begin()
        return bench
    }

    @Test(arguments: [
        (50, 60, false, true), (51, 120, false, true), (60, 120, false, true), (61, 120, false, false),
        (1, 1, true, false), (0, 0, true, true),
    ])
    func `are a person's matter beyond fifty files and half of them, and where none is left`(
        gone: Int,
        known: Int,
        isEmpty: Bool,
        isAllowed: Bool
    ) {
        var guarding = DeletionGuard()
        #expect(guarding.allows(gone, of: known, isEmpty: isEmpty, at: 0) == isAllowed)
    }

    @Test func `are counted together for ten minutes`() {
        var guarding = DeletionGuard()
        for _ in 0..<50 { guarding.note(at: 1_000) }
        // 70 are left of 120.
        #expect(guarding.allows(10, of: 70, isEmpty: false, at: 2_000) == true)
        #expect(guarding.allows(11, of: 70, isEmpty: false, at: 2_000) == false)
        #expect(guarding.allows(11, of: 70, isEmpty: false, at: 1_000 + DeletionGuard.windowMilliseconds) == true)
    }

    @Test func `stop the core before any record is deleted`() {
        var bench = Self.without(61)
        #expect(bench.decide().isEmpty)
        #expect(bench.core.halt == .massDeletion(gone: 61, known: 120))
        bench.now += 100_000
        #expect(bench.core.decide(at: bench.now).isEmpty && bench.core.wakeAt == nil)
    }

    @Test func `are made where they are half of the files or fewer`() {
        var bench = Self.without(60)
        #expect(bench.decide().count { if case .deleteRecord = $0 { true } else { false } } == 4)
        #expect(bench.core.halt == nil)
    }

    @Test func `are made once a person has confirmed them, and no others later`() {
        var bench = Self.without(61, confirms: true)
        var decisions = bench.decide()
        var count = 0
        while let decision = decisions.popLast() {
            count += 1
            bench.finish(decision, .gone)
            decisions += bench.core.decide(at: bench.now)
        }
        #expect(count == 61 && bench.core.inStepCount == 59)
        for name in Self.names.dropFirst(61) { bench.remove(name) }
        bench.scan()
        #expect(bench.decide().isEmpty)
        #expect(bench.core.halt == .massDeletion(gone: 59, known: 59))
    }

    @Test func `are none where the files were moved`() {
        var bench = CoreBench.inStep(Self.names)
        bench.begin()
        var contents: [String: String] = [:]
        for name in Self.names {
            bench.remove(name)
            bench.put("moved/\(name)")
            contents["moved/\(name)"] = name
        }
        bench.scan()
        let decisions = bench.decideWithDigests(contents)
        #expect(bench.core.halt == nil)
        #expect(decisions.allSatisfy { $0.write != nil } && decisions.count == 4)
    }

    @Test func `are none where a folder cannot be looked into, or a link has taken its place`() {
        for isHidden in [true, false] {
            var bench = CoreBench.inStep(["a", "d/b", "d/e/c"])
            bench.begin()
            bench.files = bench.files.filter { $0.key == path("a") }
            var top = FolderListing(of: nil)
            top.files = bench.files
            if isHidden {
                top.folders = [path("d")]
                bench.core.listed(top, at: bench.now)
                var folder = FolderListing(of: path("d"))
                folder.isHidden = true
                bench.core.listed(folder, at: bench.now)
            } else {
                top.obstacles = [path("d")]
                top.problems = ["d": "it is a symbolic link"]
                bench.core.listed(top, at: bench.now)
                #expect(bench.core.takeNews() == [.problem("d", reason: "it is a symbolic link")])
            }
            #expect(bench.decide().isEmpty)
            #expect(!bench.core.hasWork)
            // The folder is really gone later.
            top.folders = []
            top.obstacles = []
            bench.core.listed(top, at: bench.now)
            #expect(bench.core.decide(at: bench.now).isEmpty)
            #expect(Set(bench.decide().map(\.path)) == [path("d/b"), path("d/e/c")])
        }
    }
}
