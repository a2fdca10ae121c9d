import Dispatch
import Glibc

@testable import LocalAPI

/// Other programs, as few lines as possible.
enum Subprocess {
    /// Runs a program of the search path and returns what it prints.
    static func output(_ name: String, _ arguments: [String]) async throws -> String {
        try await withCheckedThrowingContinuation { continuation in
            // Waiting blocks a thread, which must not be one of those that run the server.
            DispatchQueue(label: "subprocess").async {
                let result = Result { try run([name] + arguments) }
                continuation.resume(with: result)
            }
        }
    }

    private static func run(_ arguments: [String]) throws -> String {
        var descriptors: [CInt] = [0, 0]
        guard pipe(&descriptors) == 0 else { throw SocketError.system("pipe", errno) }
        defer { close(descriptors[0]) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, descriptors[1], 1)
        posix_spawn_file_actions_addclose(&actions, descriptors[0])
        var pointers = arguments.map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        var process: pid_t = 0
        let status = posix_spawnp(&process, arguments[0], &actions, nil, &pointers, environ)
        close(descriptors[1])
        guard status == 0 else { throw SocketError.system("posix_spawnp", status) }
        var output: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(descriptors[0], &buffer, buffer.count)
            guard count > 0 else { break }
            output += buffer.prefix(count)
        }
        waitpid(process, nil, 0)
        return String(decoding: output, as: UTF8.self)
    }
}
