import FileRecords
import TestSupport
import Testing

@testable import Importing

@Suite("The sandbox of programs that look into files")
struct SandboxTests {
    @Test("A program has no network, no environment, and of the disk the system's programs alone")
    func arguments() throws {
        let arguments = Sandbox.arguments(["/usr/bin/exiftool", "-j"], names: ["/in/0.jpg", "/in/1"])
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
        let links = try #require(arguments.firstIndex(of: "/in/0.jpg"))
        #expect(
            Array(arguments[(links - 2)...(links + 3)]) == [
                "--symlink", "/proc/self/fd/3", "/in/0.jpg", "--symlink", "/proc/self/fd/4", "/in/1",
            ]
        )
        let limits = try #require(arguments.firstIndex(of: "/usr/bin/prlimit"))
        #expect(
            Array(arguments[limits...]) == [
                "/usr/bin/prlimit", "--as=1073741824", "--cpu=30", "--core=0", "--", "/usr/bin/exiftool", "-j",
            ]
        )
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
        let command = Sandbox.metadataCommand(["-"])
        #expect(command.starts(with: ["/usr/bin/exiftool", "-config", "", "-j", "-n"]))
        #expect(command.contains("-MIMEType"))
        #expect(command.last == "-")
    }

    /// Runs a shell in the sandbox.
    private func shell(_ script: String, _ file: OpenedFile? = nil) async throws -> String {
        let run = ToolRun(
            arguments: Sandbox.arguments(["/bin/sh", "-c", script], names: file == nil ? [] : ["/in/0.jpg"]),
            input: file?.number,
            descriptors: file.map { [$0.number] } ?? [],
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

    @Test("A program reads the files that it was given, by number and by name")
    func inherited() async throws {
        guard try await isThere([.bwrap]) else { return }
        try await TemporaryFolder.with { path in
            TemporaryFolder.write(path + "/a", Array("content".utf8))
            let file = try OpenedFile(try .sample("a"), in: try ImportedFolder(path))
            #expect(try await shell("cat; cat /in/0.jpg", file) == "contentcontent")
            #expect(try await shell("ls /proc/self/fd | grep -c .", file) <= "6\n")
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
