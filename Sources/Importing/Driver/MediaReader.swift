import FileRecords
import Glibc

/// Has programs look into files, each use in a sandbox of its own.
///
/// A program that fails costs the metadata of its files, or their thumbnails, and nothing else.
struct MediaReader: Sendable {
    /// A file that is looked into.
    struct Input: Sendable {
        /// The file.
        var file: OpenedFile
        /// The path, whose end tells some types apart.
        var path: FilePath
    }

    /// The facts about a file, and whether a tool failed.
    struct Answer: Sendable {
        /// The facts; `nil` where none were found.
        var facts: MediaFacts?
        /// The small picture; `nil` for none.
        var thumbnail: [UInt8]?
        /// Whether a tool that began did not do its work.
        var hasFailed = false
    }

    private let tools: Set<MediaTool>

    /// Uses these programs.
    init(_ tools: Set<MediaTool>) { self.tools = tools }

    /// Looks for the programs, and tries the sandbox.
    /// - Returns: The reader, and the programs that are missing.
    static func find() async -> (reader: MediaReader, shortage: ToolShortage?) {
        let found = Set(MediaTool.allCases.filter { access($0.path, X_OK) == 0 })
        let missing = MediaTool.needed.filter { !found.contains($0) }
        guard found.contains(.bwrap) else {
            return (MediaReader([]), ToolShortage(missing: missing, hasNoSandbox: false))
        }
        let trial = ToolRun(
            arguments: Sandbox.arguments(["/usr/bin/true"]),
            outputByteCountMax: 1_024,
            seconds: Sandbox.seconds
        )
        // There is no sandbox, for whatever reason.
        guard (try? await Blocking.run({ try trial.perform() })) != nil else {
            return (MediaReader([]), ToolShortage(missing: missing, hasNoSandbox: true))
        }
        return (MediaReader(found), missing.isEmpty ? nil : ToolShortage(missing: missing, hasNoSandbox: false))
    }

    /// Looks into files.
    /// - Parameter inputs: At most ``ImportCore/bundleCountMax`` of them.
    /// - Returns: The answer about each, in order.
    /// - Throws: `CancellationError`.
    func read(_ inputs: [Input]) async throws -> [Answer] {
        guard !inputs.isEmpty else { return [] }
        var answers = await facts(inputs)
        for (index, input) in inputs.enumerated() {
            try Task.checkCancellation()
            let type = answers[index].facts?.mediaType
            guard let tool = Thumbnail.tool(for: type), tools.contains(tool) else { continue }
            answers[index].thumbnail = await thumbnail(of: input, tool)
            // Of many types of pictures the tool knows none, and a sound without a cover has no picture.
            if answers[index].thumbnail == nil { answers[index].hasFailed = true }
        }
        return answers
    }

    // MARK: Metadata

    private func facts(_ inputs: [Input]) async -> [Answer] {
        guard tools.contains(.exiftool) else { return inputs.map { _ in Answer() } }
        let found = await askExifTool(about: inputs)
        var answers: [Answer] = []
        for (index, input) in inputs.enumerated() {
            if let facts = found?[index] {
                answers.append(Answer(facts: facts))
            } else {
                // One of the files has ended the program, or is not at its path any more.
                answers.append(await facts(of: input))
            }
        }
        return answers
    }

    private func facts(of input: Input) async -> Answer {
        guard let found = await askExifTool(about: [input]) else { return Answer(hasFailed: true) }
        return Answer(facts: found[0])
    }

    private func askExifTool(about inputs: [Input]) async -> [MediaFacts?]? {
        var files: [Sandbox.File] = []
        for (position, input) in inputs.enumerated() {
            guard let file = input.shown(position) else { return nil }
            files.append(file)
        }
        let names = files.map(\.name)
        let run = ToolRun(
            arguments: Sandbox.arguments(Sandbox.metadataCommand(names), files: files),
            outputByteCountMax: names.count * ExifToolAnswer.byteCountMax,
            seconds: Sandbox.seconds,
            // It ends with 1 where it knows one of the files not.
            exitCodes: [0, 1]
        )
        // A reason is of no use: the file is imported without metadata.
        guard let output = try? await Blocking.run({ try run.perform() }) else { return nil }
        return ExifToolAnswer.facts(output, of: names)
    }

    // MARK: Thumbnails

    private func thumbnail(of input: Input, _ tool: MediaTool) async -> [UInt8]? {
        guard let file = input.shown(0) else { return nil }
        for edge in Thumbnail.edges {
            guard let command = Thumbnail.command(tool, of: file.name, edge: edge) else { return nil }
            let run = ToolRun(
                arguments: Sandbox.arguments(command, files: [file]),
                outputByteCountMax: Thumbnail.outputByteCountMax,
                seconds: Sandbox.seconds
            )
            // A reason is of no use: the file is imported without a thumbnail.
            guard let output = try? await Blocking.run({ try run.perform() }) else { return nil }
            switch Thumbnail.verdict(output) {
            case .fits: return output
            case .tooLarge: continue
            case .unusable: return nil
            }
        }
        return nil
    }
}

extension MediaReader.Input {
    /// The file as a program in the sandbox gets it.
    /// - Parameter position: The place among the files of the run.
    /// - Returns: The file; `nil` where it has no path that could be passed on.
    func shown(_ position: Int) -> Sandbox.File? {
        guard let found = file.path else { return nil }
        let name = Sandbox.name(position, end: MediaTypes.end(of: path.lastPart))
        return Sandbox.File(path: found, identity: file.stamp.identity, name: name)
    }
}

/// The clock of this machine, in its own time zone.
enum LocalClock {
    /// The moment at which it showed a time.
    /// - Parameter reading: The time, in the milliseconds since 1970 that it would be in UTC.
    /// - Returns: Milliseconds since 1970; `nil` where the system has none. Of an hour that a clock shows twice it is one of both.
    static func moment(of reading: Int64) -> Int64? {
        var seconds = time_t(reading / 1_000 - (reading % 1_000 < 0 ? 1 : 0))
        var parts = tm()
        guard gmtime_r(&seconds, &parts) != nil else { return nil }
        parts.tm_isdst = -1
        let moment = mktime(&parts)
        // -1 is the error, and also a second before 1970.
        guard moment != -1 else { return nil }
        return Int64(moment) * 1_000 + (reading % 1_000 + 1_000) % 1_000
    }
}

extension MediaTypes {
    /// The list of this system; an empty one where it has none.
    static func ofSystem() -> MediaTypes {
        guard let file = fopen(path, "re") else { return MediaTypes("") }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: byteCountMax)
        let count = fread(&bytes, 1, byteCountMax, file)
        return MediaTypes(String(decoding: bytes.prefix(count), as: UTF8.self))
    }
}
