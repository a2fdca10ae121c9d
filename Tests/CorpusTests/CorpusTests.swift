import Foundation
import FuzzKit
import Glibc
import Synchronization
import Testing

@Suite struct `An input that the fuzzers have kept` {
    /// A broken law ends the process, so each target has one of its own.
    @Test(.timeLimit(.minutes(10)), arguments: FuzzCorpus.targets.map(\.name))
    func `breaks no law of its target`(_ name: String) async throws {
        let notice = FileManager.default.temporaryDirectory.appending(path: "kairan-corpus-\(UUID().uuidString)").path
        defer { unlink(notice) }
        await #expect(processExitsWith: .success) { [name, notice = notice as String] in
            let corpus = try FuzzCorpus(of: name)
            #expect(!corpus.inputs.isEmpty)
            LastInput.watch(writingTo: notice)
            for (input, bytes) in corpus.inputs {
                LastInput.begin(input)
                corpus.target.run(bytes)
            }
        }
        if let input = FileManager.default.contents(atPath: notice), !input.isEmpty {
            let place = "Fuzz/Corpus/\(name).tar.gz or Fuzz/FailCases/\(name)"
            Issue.record("the input \(String(decoding: input, as: UTF8.self)) of \(place) ended its process")
        }
    }
}

/// The input under way, for the words of a process that ends with a trap.
private enum LastInput {
    /// The address of a name that ends with zero; 0 where there is none.
    private static let name = Atomic<UInt>(0)
    private static let notice = Atomic<CInt>(-1)

    /// Writes the name of the input under way to a file when this process traps.
    static func watch(writingTo path: String) {
        notice.store(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600), ordering: .relaxed)
        for code in [SIGILL, SIGTRAP, SIGSEGV, SIGABRT] {
            signal(code) { code in
                if let name = UnsafePointer<CChar>(bitPattern: LastInput.name.load(ordering: .relaxed)) {
                    write(LastInput.notice.load(ordering: .relaxed), name, strlen(name))
                }
                signal(code, SIG_DFL)
                raise(code)
            }
        }
    }

    /// Remembers an input.
    static func begin(_ input: String) {
        let before = name.exchange(UInt(bitPattern: strdup(input)), ordering: .relaxed)
        free(UnsafeMutablePointer<CChar>(bitPattern: before))
    }
}
