import Glibc
import Store
import Sync
import Testing

@Suite struct `A state directory` {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func mode(_ path: String) -> mode_t? {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & 0o7777 : nil
    }

    @Test func `is not made below a directory that is not there, and another start would not help`() {
        let state = StateDirectory(path: directory.path + "/.local/state/kairan")
        let error = #expect(throws: StorageError.self) { try state.create() }
        #expect(error?.outlook == .stays)
        #expect(error?.message.contains("the directory above it is not there") == true)
        #expect(mode(directory.path + "/.local") == nil)
    }

    @Test func `gets its parent directories on request, accessible to their owner alone`() throws {
        let state = StateDirectory(path: directory.path + "/.local/state/kairan")
        try state.createParents()
        #expect(mode(directory.path + "/.local") == 0o700)
        #expect(mode(directory.path + "/.local/state") == 0o700)
        #expect(mode(state.path) == nil)
        try state.create()
        #expect(mode(state.path) == 0o700)
        // Again: those that are there keep their mode.
        #expect(chmod(directory.path + "/.local", 0o755) == 0)
        try state.createParents()
        #expect(mode(directory.path + "/.local") == 0o755)
    }
}
