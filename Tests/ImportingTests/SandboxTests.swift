import FileRecords
import Glibc
import TestSupport
import Testing

@testable import Importing

@Suite("The sandbox of programs that look into files")
struct SandboxTests {
    @Test("A program has no network, no environment, and of the disk the system's programs alone")
    func arguments() throws {
        let arguments = Sandbox.arguments(["/usr/bin/exiftool", "-j"])
        #expect(arguments.first == "/usr/bin/bwrap")
        for word in ["--unshare-all", "--unshare-user", "--disable-userns", "--die-with-parent", "--new-session"] {
            #expect(arguments.contains(word))
        }
        let bound = arguments.indices.filter { ["--ro-bind", "--ro-bind-try"].contains(arguments[$0]) }
        #expect(bound.map { arguments[$0 + 1] } == ["/usr", "/etc/alternatives", "/etc/ld.so.cache"])
        #expect(!arguments.contains { ["--bind", "--dev-bind", "--share-net", "--cap-add"].contains($0) })
        let clear = try #require(arguments.firstIndex(of: "--clearenv"))
        let set = try #require(arguments.firstIndex(of: "--setenv"))
        #expect(clear < set)
        let limits = try #require(arguments.firstIndex(of: "/usr/bin/prlimit"))
        #expect(
            Array(arguments[limits...]) == [
                "/usr/bin/prlimit", "--as=1073741824", "--cpu=30", "--core=0", "--", "/usr/bin/exiftool", "-j",
            ]
        )
    }

    @Test("The files of a program are mounted read-only, and checked before it runs")
    func files() throws {
        let files = [
            Sandbox.File(path: "/home/a b/x.jpg", identity: "1:20", name: "/in/0.jpg"),
            Sandbox.File(path: "/home/y", identity: "1:21", name: "/in/1"),
        ]
        let arguments = Sandbox.arguments(["/usr/bin/exiftool", "-j"], files: files)
        let bound = arguments.indices.filter { arguments[$0] == "--ro-bind" }.dropFirst()
        #expect(
            bound.map { Array(arguments[($0 + 1)...($0 + 2)]) } == [
                ["/home/a b/x.jpg", "/in/0.jpg"], ["/home/y", "/in/1"],
            ]
        )
        let names = try #require(arguments.firstIndex(of: "/in/0.jpg /in/1"))
        #expect(Array(arguments[(names + 1)...(names + 2)]) == ["1:20\n1:21", "/usr/bin/prlimit"])
    }

    @Test("The end of a name goes into the sandbox only where it is letters and digits")
    func names() {
        #expect(Sandbox.name(2, end: "jpg") == "/in/2.jpg")
        for end in [nil, "", "../x", "a b", "é", "abcdefghijk", "JPG"] {
            #expect(Sandbox.name(2, end: end) == "/in/2")
        }
    }

    @Test("ExifTool reads no configuration, and writes numbers")
    func command() {
        let command = Sandbox.metadataCommand(["/in/0"])
        #expect(command.starts(with: ["/usr/bin/exiftool", "-config", "", "-j", "-n"]))
        #expect(command.contains("-MIMEType"))
        #expect(command.last == "/in/0")
    }

    /// Runs a shell in the sandbox.
    private func shell(_ script: String, _ file: OpenedFile? = nil) async throws -> String {
        let input = try file.map { MediaReader.Input(file: $0, path: try .sample("a.jpg")) }
        let run = ToolRun(
            arguments: Sandbox.arguments(["/bin/sh", "-c", script], files: input?.shown(0).map { [$0] } ?? []),
            outputByteCountMax: 10_000,
            seconds: Sandbox.seconds
        )
        let output = try await Blocking.run { try run.perform() }
        return String(decoding: output, as: UTF8.self)
    }

    private func isThere(_ tools: [MediaTool]) async throws -> Bool {
        let (_, shortage) = await MediaReader.find()
        guard let shortage else { return true }
        guard shortage.hasNoSandbox || tools.contains(where: { shortage.missing.contains($0) }) else { return true }
        try cannotRun("\(shortage)")
        return false
    }

    @Test("In the sandbox there is no file of the user, no network and no variable")
    func shutIn() async throws {
        guard try await isThere([.bwrap]) else { return }
        try await TemporaryFolder.with { folder in
            TemporaryFolder.write(folder + "/secret", Array("secret".utf8))
            let seen = try await shell(
                "ls -A /home /root /etc/passwd '\(folder)' 2>/dev/null; env; cat /proc/net/dev; echo end"
            )
            #expect(!seen.contains("secret"))
            #expect(!seen.contains("passwd"))
            #expect(!seen.contains("HOME="))
            #expect(!seen.contains("eth0"))
            #expect(seen.hasSuffix("end\n"))
            let written = try await shell("touch /usr/x 2>/dev/null; ls /usr/x 2>/dev/null; echo end")
            #expect(written == "end\n")
        }
    }

    @Test("A program reads a file that it was given, and changes neither its content nor its mode")
    func readOnly() async throws {
        guard try await isThere([.bwrap]) else { return }
        try await TemporaryFolder.with { path in
            TemporaryFolder.write(path + "/a", Array("content".utf8))
            let file = try OpenedFile(try .sample("a"), in: try ImportedFolder(path))
            #expect(try await shell("cat /in/0.jpg", file) == "content")
            let attack = """
                exec 2>/dev/null 5</in/0.jpg
                for name in /in/0.jpg /proc/self/fd/5; do (echo x >"$name"); chmod 777 "$name"; touch "$name"; done
                rm -f /in/0.jpg; echo end
                """
            #expect(try await shell(attack, file) == "end\n")
            #expect(!file.hasChanged)
            #expect(try file.readAll() == Array("content".utf8))
        }
    }

    @Test("A program does not run where another file has taken the place of the one that was opened")
    func replaced() async throws {
        guard try await isThere([.bwrap]) else { return }
        try await TemporaryFolder.with { path in
            TemporaryFolder.write(path + "/folder/a", Array("content".utf8))
            TemporaryFolder.write(path + "/other/a", Array("secret".utf8))
            let file = try OpenedFile(try .sample("folder/a"), in: try ImportedFolder(path))
            let input = MediaReader.Input(file: file, path: try .sample("a.jpg"))
            let shown = try #require(input.shown(0))
            #expect(rename(path + "/folder", path + "/old") == 0 && symlink("other", path + "/folder") == 0)
            let run = ToolRun(
                arguments: Sandbox.arguments(["/bin/sh", "-c", "cat /in/0.jpg"], files: [shown]),
                outputByteCountMax: 10_000,
                seconds: Sandbox.seconds
            )
            await #expect(throws: ToolRun.Failure.failed(126)) { try await Blocking.run { try run.perform() } }
        }
    }

    @Test("A picture has metadata and a thumbnail")
    func picture() async throws {
        guard try await isThere(MediaTool.needed) else { return }
        try await TemporaryFolder.with { path in
            TemporaryFolder.write(path + "/a.jpg", SmallPicture.bytes)
            TemporaryFolder.write(path + "/b.jpg", Array("no picture".utf8))
            let folder = try ImportedFolder(path)
            let inputs = try ["a.jpg", "b.jpg"].map { name in
                let path = try FilePath.sample(name)
                return MediaReader.Input(file: try OpenedFile(path, in: folder), path: path)
            }
            let answers = try await MediaReader.find().reader.read(inputs)
            let facts = try #require(answers[0].facts)
            #expect(facts.mediaType == "image/jpeg")
            #expect(facts.width == 32 && facts.height == 48)
            #expect(facts.camera == "Apple iPhone 15")
            #expect(facts.takenAt == .moment(1_784_619_000_125))
            #expect(facts.place == MediaFacts.Place(latitude: 48.2082, longitude: -16.3738))
            #expect(Thumbnail.verdict(answers[0].thumbnail ?? []) == .fits)
            #expect(!answers[0].hasFailed)
            #expect(answers[1].facts?.mediaType != "image/jpeg")
            #expect(answers[1].thumbnail == nil)
        }
    }
}
