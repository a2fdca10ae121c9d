import Dispatch
import FileRecords
import FoundationEssentials
import Glibc
import KairanClient
import KairanTesting
import Synchronization
import TestSupport
import Testing

@testable import Mounting

/// With the real kernel: programs read a zone of a daemon in memory through a folder.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct FuseMountTests {
    /// Whether this machine has the device; everything else that a mount needs is a condition of the tests.
    private static let isPossible = access("/dev/fuse", F_OK) == 0
    private static let missing = "there is no /dev/fuse (`modprobe fuse` makes it)"

    private static let content: [UInt8] = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 13 >> 5) }

    /// A mount for the time of a test.
    struct Mounted: Sendable {
        let daemon: MemoryDaemon
        let zone: RecordZone
        let folder: String
        private let queue = DispatchQueue(label: "test.files", attributes: .concurrent)

        /// Runs a shell in the folder; any command that fails is a failure of all.
        func shell(_ script: String) async throws {
            let status = try await files { folder -> Int32 in
                var process: pid_t = 0
                let words = ["sh", "-ec", "cd \"$1\"\n" + script, "sh", folder]
                var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
                defer { for argument in arguments { free(argument) } }
                let code = posix_spawnp(&process, "sh", nil, nil, &arguments, environ)
                guard code == 0 else { throw SystemFailure(number: code) }
                var status: Int32 = -1
                waitpid(process, &status, 0)
                return status
            }
            #expect(status == 0, "\(script)")
        }

        /// The files that the records of the zone describe: path and bytes as text.
        func stored() async throws -> [String: String] {
            var files: [String: String] = [:]
            for record in try await zone.records(limit: 1_000).records {
                guard let file = FileRecord(record) else { continue }
                var bytes: [UInt8] = []
                for try await piece in try await zone.content("content", of: record.name) { bytes += Array(piece) }
                files[file.path.text] = String(decoding: bytes, as: UTF8.self)
            }
            return files
        }

        /// Does something that may wait for the mount, on a thread that the mount does not need.
        func files<Value: Sendable>(_ work: @escaping @Sendable (String) throws -> Value) async throws -> Value {
            try await withCheckedThrowingContinuation { continuation in
                queue.async { [folder] in continuation.resume(with: Result { try work(folder) }) }
            }
        }
    }

    /// The error of a system call.
    struct SystemFailure: Error, Equatable {
        var number: Int32
    }

    private func run(
        exec: Bool = false,
        isWritable: Bool = false,
        _ fill: (RecordZone) async throws -> Void,
        _ body: @escaping @Sendable (Mounted) async throws -> Void
    ) async throws {
        var template = Array("/tmp/kairan-mount-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemFailure(number: errno) }
        let folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        defer { rmdir(folder) }
        let staging = isWritable ? StagingFolder(path: folder + ".state") : nil
        // A leftover in /tmp does no harm.
        defer { if let staging { try? FileManager.default.removeItem(atPath: staging.path) } }
        let daemon = MemoryDaemon()
        let zone = try await daemon.kairan.container("org.example.files").privateDatabase.createZone(named: "files")
        try await fill(zone)
        let client = daemon.kairan.client
        let run = MountRun(
            zone: zone.id,
            folder: folder,
            allowsExecution: exec,
            waitMilliseconds: 0,
            staging: staging,
            device: "desk",
            client: client,
            content: client,
            report: { _ in }
        )
        let (ready, tell) = AsyncStream.makeStream(of: Void.self)
        let (end, finish) = AsyncStream.makeStream(of: Void.self)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                defer { tell.finish() }
                try await run.run(until: { for await _ in end {} }) { _ in tell.finish() }
            }
            group.addTask {
                defer { finish.finish() }
                for await _ in ready {}
                try await body(Mounted(daemon: daemon, zone: zone, folder: folder))
            }
            try await group.waitForAll()
        }
        // The mount is gone, and the folder as it was.
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
    }

    /// All bytes of a file.
    private static func bytes(_ path: String) throws -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemFailure(number: errno) }
        defer { close(descriptor) }
        return try rest(of: descriptor)
    }

    private static func rest(of descriptor: Int32) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            let part = try Self.part(of: descriptor, at: bytes.count, count: 100_000)
            if part.isEmpty { return bytes }
            bytes += part
        }
    }

    private static func part(of descriptor: Int32, at offset: Int, count: Int) throws -> [UInt8] {
        var part = [UInt8](repeating: 0, count: count)
        let read = pread(descriptor, &part, count, offset)
        guard read >= 0 else { throw SystemFailure(number: errno) }
        return Array(part.prefix(read))
    }

    @Test func `programs list and read the files, and change nothing`() async throws {
        guard Self.isPossible else { return try cannotRun(Self.missing) }
        try await run { zone in
            try await MountedMemory.write("2026/lake.jpg", Self.content, to: zone)
            try await MountedMemory.write("empty", [], to: zone)
        } _: { mounted async throws in
            #expect(try await mounted.files { try Self.bytes($0 + "/2026/lake.jpg") } == Self.content)
            let names = try await mounted.files { try FileManager.default.contentsOfDirectory(atPath: $0) }
            #expect(names.sorted() == ["2026", "empty"])
            #expect(try await mounted.files { try Self.bytes($0 + "/empty") }.isEmpty)
            let status = try await mounted.files { folder in
                var status = stat()
                guard stat(folder + "/2026/lake.jpg", &status) == 0 else { throw SystemFailure(number: errno) }
                return status
            }
            #expect(status.st_mode == S_IFREG | 0o444 && status.st_size == 3_000_000 && status.st_uid == getuid())
            let numbers = try await mounted.files { folder in
                [
                    open(folder + "/new", O_WRONLY | O_CREAT, 0o644) < 0 ? errno : 0,
                    open(folder + "/empty", O_WRONLY) < 0 ? errno : 0,
                    unlink(folder + "/empty") < 0 ? errno : 0,
                ]
            }
            #expect(numbers == [EROFS, EROFS, EROFS])
        }
    }

    @Test func `readings from anywhere give the bytes of that place`() async throws {
        guard Self.isPossible else { return try cannotRun(Self.missing) }
        try await run { zone in
            try await MountedMemory.write("film", Self.content, to: zone)
        } _: { mounted async throws in
            try await mounted.files { folder in
                let descriptor = open(folder + "/film", O_RDONLY | O_CLOEXEC)
                guard descriptor >= 0 else { throw SystemFailure(number: errno) }
                defer { close(descriptor) }
                var generator = SeededGenerator(seed: 7)
                for _ in 0..<60 {
                    let first = Int.random(in: 0..<Self.content.count, using: &generator)
                    let count = Int.random(in: 1...200_000, using: &generator)
                    let part = try Self.part(of: descriptor, at: first, count: count)
                    #expect(part == Array(Self.content[first...].prefix(count)))
                }
            }
        }
    }

    @Test func `a daemon that is gone is an error, never zeros, and reading goes on when it is back`() async throws {
        guard Self.isPossible else { return try cannotRun(Self.missing) }
        try await run { zone in
            try await MountedMemory.write("a", Self.content, to: zone)
        } _: { mounted async throws in
            mounted.daemon.stop()
            await #expect(throws: SystemFailure(number: EIO)) { try await mounted.files { try Self.bytes($0 + "/a") } }
            mounted.daemon.start()
            #expect(try await mounted.files { try Self.bytes($0 + "/a") } == Self.content)
        }
    }

    @Test func `a changed file is another one, and an open one keeps its content or fails`() async throws {
        guard Self.isPossible else { return try cannotRun(Self.missing) }
        try await run { zone in
            try await MountedMemory.write("a", Self.content, to: zone)
        } _: { mounted async throws in
            let descriptor = try await mounted.files { open($0 + "/a", O_RDONLY | O_CLOEXEC) }
            let first = try await mounted.files { _ in try Self.part(of: descriptor, at: 0, count: 1_000) }
            #expect(first == Array(Self.content.prefix(1_000)))
            try await MountedMemory.write("a", [1, 2, 3], to: mounted.zone)
            // The change comes by the feed, a moment later.
            var now: [UInt8] = []
            while now != [1, 2, 3] {
                now = (try? await mounted.files { try Self.bytes($0 + "/a") }) ?? []
                await Task.yield()
            }
            // The part that the kernel has stays, and the rest is nowhere any more.
            #expect(try await mounted.files { _ in try Self.part(of: descriptor, at: 0, count: 1_000) } == first)
            await #expect(throws: SystemFailure(number: ESTALE)) {
                try await mounted.files { _ in try Self.part(of: descriptor, at: 2_000_000, count: 1_000) }
            }
            _ = try await mounted.files { _ in close(descriptor) }
        }
    }

    @Test func `the folder is unmounted by the command for that too`() async throws {
        guard Self.isPossible else { return try cannotRun(Self.missing) }
        try await run { zone in
            try await MountedMemory.write("a", [1], to: zone)
        } _: { mounted async throws in
            #expect(try await mounted.files { try Self.bytes($0 + "/a") } == [1])
            let status = try await mounted.files { folder -> Int32 in
                var process: pid_t = 0
                let words = ["fusermount3", "-u", folder]
                var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
                defer { for argument in arguments { free(argument) } }
                let code = posix_spawnp(&process, "fusermount3", nil, nil, &arguments, environ)
                guard code == 0 else { throw SystemFailure(number: code) }
                var status: Int32 = -1
                waitpid(process, &status, 0)
                return status
            }
            #expect(status == 0)
        }
    }

    // MARK: Writing

    @Test func `programs copy, move, change and remove files of a writable mount`() async throws {
        guard Self.isPossible else { return try cannotRun(Self.missing) }
        try await run(isWritable: true) { zone in
            try await MountedMemory.write("list", Array("one\n".utf8), to: zone)
        } _: { mounted async throws in
            try await mounted.shell(
                """
                echo two >>list
                [ "$(cat list)" = "one
                two" ]
                cp list copy
                cp -p list kept
                mkdir -p d/e
                mv copy d/e/moved
                [ -f d/e/moved ]
                [ ! -e copy ]
                sed -i s/two/three/ list
                mv d other
                [ "$(cat other/e/moved)" = "one
                two" ]
                rm -r other
                [ ! -e other ]
                chmod +x kept
                [ "$(stat -c %a kept)" = 755 ]
                : >empty
                dd if=/dev/zero of=zeros bs=1000 count=3 conv=fsync 2>/dev/null
                truncate -s 2 zeros
                if ln -s list link 2>/dev/null; then exit 1; fi
                if ln list link 2>/dev/null; then exit 1; fi
                if mkfifo pipe 2>/dev/null; then exit 1; fi
                """
            )
            #expect(
                try await mounted.stored() == [
                    "list": "one\nthree\n", "kept": "one\ntwo\n", "empty": "", "zeros": "\0\0",
                ]
            )
            let record = try await mounted.zone.record("kept")
            #expect(FileRecord(record)?.isExecutable == true)
        }
    }

    @Test func `an editor that saves by renaming keeps the record, and its own write is seen at once`() async throws {
        guard Self.isPossible else { return try cannotRun(Self.missing) }
        try await run(isWritable: true) { zone in
            try await MountedMemory.write("text", Array("old".utf8), to: zone)
            try await zone.save(RecordWrite("text", fields: ["note": "of another program"]))
        } _: { mounted async throws in
            for step in 0..<20 {
                try await mounted.files { folder in
                    let descriptor = open(folder + "/.text.swp", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
                    guard descriptor >= 0 else { throw SystemFailure(number: errno) }
                    let text = Array("step \(step)".utf8)
                    guard Glibc.write(descriptor, text, text.count) == text.count, fsync(descriptor) == 0,
                        close(descriptor) == 0, rename(folder + "/.text.swp", folder + "/text") == 0
                    else { throw SystemFailure(number: errno) }
                    var status = stat()
                    guard stat(folder + "/text", &status) == 0 else { throw SystemFailure(number: errno) }
                    #expect(Int(status.st_size) == text.count)
                    #expect(try Self.bytes(folder + "/text") == text)
                    #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["text"])
                }
            }
            #expect(try await mounted.stored() == ["text": "step 19"])
            #expect(try await mounted.zone.record("text").fields["note"] == "of another program")
        }
    }

    @Test func `a file that is mapped and changed in memory is stored`() async throws {
        guard Self.isPossible else { return try cannotRun(Self.missing) }
        try await run(isWritable: true) { zone in
            try await MountedMemory.write("map", Array(repeating: UInt8(ascii: "a"), count: 8), to: zone)
        } _: { mounted async throws in
            try await mounted.files { folder in
                let descriptor = open(folder + "/map", O_RDWR | O_CLOEXEC)
                guard descriptor >= 0 else { throw SystemFailure(number: errno) }
                let pages = mmap(nil, 8, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
                guard let pages, pages != MAP_FAILED else { throw SystemFailure(number: errno) }
                pages.storeBytes(of: UInt8(ascii: "b"), toByteOffset: 3, as: UInt8.self)
                guard msync(pages, 8, MS_SYNC) == 0, close(descriptor) == 0, munmap(pages, 8) == 0 else {
                    throw SystemFailure(number: errno)
                }
            }
            #expect(try await mounted.stored() == ["map": "aaabaaaa"])
        }
    }

    @Test func `git and SQLite work in a writable mount`() async throws {
        guard Self.isPossible else { return try cannotRun(Self.missing) }
        for program in ["git", "sqlite3"]
        where !["/usr/bin/", "/bin/", "/usr/local/bin/"].contains(where: { access($0 + program, X_OK) == 0 }) {
            return try cannotRun("\(program) is not installed")
        }
        try await run(isWritable: true) { _ in
        } _: { mounted async throws in
            try await mounted.shell(
                """
                git init -q repository
                cd repository
                echo text >file
                git add file
                git -c user.name=a -c user.email=a@b commit -q -m first
                [ "$(git show HEAD:file)" = text ]
                [ -z "$(git status --porcelain)" ]
                git fsck --strict
                cd ..
                sqlite3 data.db 'create table t(a); insert into t values(1); insert into t values(2);'
                [ "$(sqlite3 data.db 'select sum(a) from t; pragma integrity_check;' | tr '\\n' ' ')" = "3 ok " ]
                """
            )
            #expect(try await mounted.stored()["repository/file"] == "text\n")
        }
    }
}
