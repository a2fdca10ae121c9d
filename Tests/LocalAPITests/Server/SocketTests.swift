import FoundationEssentials
import Glibc
import KairanClient
import Node
import TestSupport
import Testing

@testable import LocalAPI

@Suite struct `The local socket` {
    @Test func `its mode admits only owner and group, whatever the mask`() async throws {
        try await LiveServer.withDirectory { directory in
            let socket = try ListeningSocket.bind(path: directory + "/s", group: getegid())
            var status = stat()
            #expect(lstat(directory + "/s", &status) == 0)
            #expect(status.st_mode & 0o7777 == 0o660)
            close(socket.descriptor)
            socket.removePath()
            #expect(lstat(directory + "/s", &status) != 0)
        }
    }

    @Test func `its mode admits all users when there are applications`() async throws {
        try await LiveServer.withDirectory { directory in
            let socket = try ListeningSocket.bind(path: directory + "/s", isForOthers: true)
            defer { close(socket.descriptor) }
            var status = stat()
            #expect(lstat(directory + "/s", &status) == 0)
            #expect(status.st_mode & 0o7777 == 0o666)
        }
    }

    @Test func `a socket with a listening process is left alone`() async throws {
        try await LiveServer.withDirectory { directory in
            let first = try ListeningSocket.bind(path: directory + "/s")
            defer { close(first.descriptor) }
            #expect(throws: SocketError.inUse(directory + "/s")) {
                _ = try ListeningSocket.bind(path: directory + "/s")
            }
        }
    }

    @Test func `a socket without a listening process is replaced`() async throws {
        try await LiveServer.withDirectory { directory in
            let first = try ListeningSocket.bind(path: directory + "/s")
            close(first.descriptor)
            let second = try ListeningSocket.bind(path: directory + "/s")
            defer { close(second.descriptor) }
            // The first server must not remove the socket that is the second's now.
            first.removePath()
            var status = stat()
            #expect(lstat(directory + "/s", &status) == 0)
        }
    }

    @Test func `a file and a link at the path are left alone`() async throws {
        try await LiveServer.withDirectory { directory in
            let file = directory + "/file"
            try Data("precious".utf8).write(to: URL(filePath: file))
            #expect(throws: SocketError.notASocket(file)) { try ListeningSocket.bind(path: file) }
            #expect(try Data(contentsOf: URL(filePath: file)) == Data("precious".utf8))
            let target = try ListeningSocket.bind(path: directory + "/s")
            close(target.descriptor)
            #expect(symlink(directory + "/s", directory + "/link") == 0)
            #expect(throws: SocketError.notASocket(directory + "/link")) {
                try ListeningSocket.bind(path: directory + "/link")
            }
        }
    }

    @Test func `paths that do not fit and directories that are not there are refused`() async throws {
        let long = "/tmp/" + String(repeating: "x", count: 200)
        #expect(throws: SocketError.unfitPath(long, byteCountMax: 107)) { try ListeningSocket.bind(path: long) }
        #expect(throws: SocketError.unfitPath("", byteCountMax: 107)) { try ListeningSocket.bind(path: "") }
        try await LiveServer.withDirectory { directory in
            let missing = directory + "/none/s"
            #expect(throws: SocketError.system("bind", ENOENT)) { try ListeningSocket.bind(path: missing) }
            return
        }
    }

    @Test func `only a listening Unix socket is inherited`() throws {
        let (reading, writing) = try Self.pipeDescriptors()
        defer {
            close(reading)
            close(writing)
        }
        #expect(throws: SocketError.notListening(reading)) { try ListeningSocket.inherit(descriptor: reading) }
        let unbound = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
        defer { close(unbound) }
        #expect(throws: SocketError.notListening(unbound)) { try ListeningSocket.inherit(descriptor: unbound) }
        #expect(throws: SocketError.notListening(-1)) { try ListeningSocket.inherit(descriptor: -1) }
    }

    private static func pipeDescriptors() throws -> (CInt, CInt) {
        var descriptors: [CInt] = [0, 0]
        guard pipe(&descriptors) == 0 else { throw SocketError.system("pipe", errno) }
        return (descriptors[0], descriptors[1])
    }

    @Test(.timeLimit(.minutes(5))) func `a server answers on an inherited socket and leaves its path alone`()
        async throws
    {
        try await LiveServer.withDirectory { directory in
            let socket = try ListeningSocket.bind(path: directory + "/s")
            try await LiveServer.run(
                node: FakeNode(),
                endpoint: .inherited(descriptor: socket.descriptor),
                in: directory
            ) { path, _ in
                let state = try await DaemonClient.withClient(socketPath: path) { try await $0.status().state }
                #expect(state == .ready)
            }
            var status = stat()
            #expect(lstat(directory + "/s", &status) == 0)
        }
    }

    @Test(.timeLimit(.minutes(5))) func `a stopped server removes its path`() async throws {
        try await LiveServer.withDirectory { directory in
            try await LiveServer.run(node: FakeNode(), in: directory) { path, _ in
                let names = try FileManager.default.contentsOfDirectory(atPath: directory)
                #expect(names == ["s"] && path == directory + "/s")
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == [])
        }
    }
}

@Suite struct `Access to the interface` {
    private let policy = AdminPolicy(users: [1000], groups: [50])

    @Test func `root, the daemon's user and the group's members may`() {
        #expect(policy.admits(PeerCredentials(process: 1, user: 0, group: 0)))
        #expect(policy.admits(PeerCredentials(process: 1, user: 1000, group: 1000)))
        #expect(policy.admits(PeerCredentials(process: 1, user: 7, group: 50)))
        #expect(policy.admits(PeerCredentials(process: 1, user: 7, group: 7, supplementaryGroups: [4, 50])))
    }

    @Test func `no other user may`() {
        #expect(!policy.admits(PeerCredentials(process: 1, user: 1001, group: 1001, supplementaryGroups: [49, 1000])))
        #expect(!policy.admits(PeerCredentials(process: 1, user: 50, group: 1000)))
        #expect(!policy.admits(nil))
    }

    @Test(.timeLimit(.minutes(5))) func `a caller that the policy does not name is refused, one in the group is not`()
        async throws
    {
        guard geteuid() == 0 else {
            return try cannotRun("only root can become another user to try the socket")
        }
        try await LiveServer.withDirectory { directory in
            #expect(chmod(directory, 0o755) == 0)
            try await LiveServer.run(
                node: FakeNode(),
                policy: AccessPolicy(admins: AdminPolicy(users: [0], groups: [4711])),
                in: directory
            ) { path, _ in
                // The file's mode would stop them before the policy is asked.
                #expect(chmod(path, 0o666) == 0)
                let refused = try await Self.curl(path, as: ["--reuid=65534", "--regid=65534", "--clear-groups"])
                #expect(refused.contains("\"code\":\"forbidden\"") && refused.contains("User 65534"))
                let member = try await Self.curl(path, as: ["--reuid=65534", "--regid=65534", "--groups=4,4711"])
                #expect(member.contains("\"state\":\"ready\""))
            }
        }
    }

    /// Asks for the status as another user.
    private static func curl(_ socket: String, as user: [String]) async throws -> String {
        let url = "http://localhost/v1/status"
        return try await Subprocess.run(["setpriv"] + user + ["curl", "-s", "--unix-socket", socket, url]).output
    }
}
