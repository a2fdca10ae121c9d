import ArgumentParser
import Invocation
import KairanClient

/// The end of a command that could not do its work.
struct Failure {
    private enum Kind {
        /// Help or a version was asked for: this is no failure.
        case message(String)
        case usage(String, detail: String)
        case problem(Problem, document: [UInt8])
        /// The error needs no report.
        case silent
    }

    private let kind: Kind
    /// The exit code of the process.
    let exitCode: Int32

    /// Classifies an error.
    init(_ error: any Error) {
        switch error {
        case let error as KairanError:
            kind = .problem(error.problem, document: error.document)
            exitCode = Self.exitCode(error)
        case let error as InputError:
            kind = .problem(Self.problem(error), document: [])
            exitCode = error.exitCode
        case let error as SocketRefusal:
            kind = .problem(error.problem, document: [])
            exitCode = 77  // EX_NOPERM
        case let error as TimeOver:
            kind = .problem(error.problem, document: [])
            exitCode = 75  // EX_TEMPFAIL
        case let error as OutputError:
            kind = .problem(Self.problem(error), document: [])
            exitCode = 74  // EX_IOERR
        case let error as NotUTF8:
            kind = .usage("kairan: " + error.description, detail: error.description)
            exitCode = 64  // EX_USAGE
        case is Terminal.OutputClosed:
            // The status that a shell shows for a program ended by a broken pipe: 128 + SIGPIPE.
            kind = .silent
            exitCode = 141
        case is CancellationError:
            kind = .silent
            exitCode = 1
        case let code as ExitCode:
            kind = .silent
            exitCode = code.rawValue
        default:
            exitCode = PeerControl.exitCode(for: error).rawValue
            let text = PeerControl.fullMessage(for: error)
            kind =
                exitCode == 0 ? .message(text) : .usage(Self.usageText(text), detail: PeerControl.message(for: error))
        }
    }

    /// Reports the error.
    /// - Throws: ``OutputError`` or ``Terminal/OutputClosed`` when help or a version was asked for and cannot be written.
    func report(on terminal: Terminal, isJSON: Bool) throws {
        switch kind {
        case .silent: break
        case .message(let text):
            try terminal.print(text)
            try Terminal.closeOutput()
        case .usage(let text, let detail):
            terminal.printError(isJSON ? Self.json(Self.problem(usage: detail)) : text)
        case .problem(let problem, let document):
            if isJSON {
                terminal.printError(
                    document.isEmpty ? Self.json(problem) : String(decoding: document, as: UTF8.self)
                )
            } else {
                terminal.printError(Self.text(problem))
            }
        }
    }

    /// The error for people, on one line: the problem, and the remedy.
    static func text(_ problem: Problem) -> String {
        let parts = ["kairan:", problem.detail, problem.fix].filter { !$0.isEmpty }
        return Table.visible(parts.joined(separator: " ").replacing("\n", with: " "))
    }

    /// The parser's message, beginning as all others do.
    static func usageText(_ text: String) -> String {
        text.hasPrefix("Error: ") ? "kairan: " + text.dropFirst("Error: ".count) : text
    }

    private static func exitCode(_ error: KairanError) -> Int32 {
        switch (error.kind, error.code) {
        case (.unreachable, _): 69  // EX_UNAVAILABLE
        case (_, "busy"), (_, "not_ready"), (_, "storage.disk_full"), (_, "request.too_many"),
            (_, "right.waiting"), (_, "zone.no_key"), (_, "guest.unreachable"), (_, "message.incomplete"),
            (_, "asset.unavailable"), (_, "asset.busy"):
            75  // EX_TEMPFAIL
        default: 1
        }
    }

    private static func problem(_ error: InputError) -> Problem {
        Problem(
            type: "https://kairan.invalid/problems/\(error.code)",
            title: error.title,
            status: 0,
            code: error.code,
            detail: error.detail,
            fix: error.fix,
            isRetryable: false
        )
    }

    private static func problem(_ error: OutputError) -> Problem {
        Problem(
            type: "https://kairan.invalid/problems/output.unwritable",
            title: "The output cannot be written",
            status: 0,
            code: "output.unwritable",
            detail: error.detail,
            fix: error.fix,
            isRetryable: false
        )
    }

    private static func problem(usage text: String) -> Problem {
        Problem(
            type: "https://kairan.invalid/problems/usage",
            title: "The command line is not valid",
            status: 0,
            code: "usage",
            detail: text,
            fix: "See `kairan help`.",
            isRetryable: false
        )
    }

    private static func json(_ problem: Problem) -> String {
        let json: JSONValue = [
            "type": .string(problem.type), "title": .string(problem.title), "status": .integer(Int64(problem.status)),
            "code": .string(problem.code), "detail": .string(problem.detail), "fix": .string(problem.fix),
            "retryable": .bool(problem.isRetryable),
        ]
        return json.encodedText
    }
}
