import ArgumentParser
import FoundationEssentials
import KairanClient

/// A command that talks to the daemon.
protocol ControlCommand: AsyncParsableCommand {
    /// What every command takes.
    var global: GlobalOptions { get }
    /// Does the work.
    func run(in session: Session) async throws
}

extension ControlCommand {
    mutating func run() async throws {
        let path = SocketPath.choose(
            option: global.socket,
            environment: ProcessInfo.processInfo.environment,
            exists: FileManager.default.fileExists(atPath:)
        )
        let token = try TokenFile.token(ProcessInfo.processInfo.environment)
        let command = self
        try await DaemonClient.withClient(socketPath: path, token: token) { client in
            try await command.run(in: Session(client: client, terminal: Terminal(), isJSON: command.global.json))
        }
    }
}
