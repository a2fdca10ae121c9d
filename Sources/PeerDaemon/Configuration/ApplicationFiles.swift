import Glibc
import LocalAPI
import Node

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// All files of the directory that binds applications: the usable ones and the wrong ones.
struct ApplicationFiles: Sendable, Equatable {
    /// A file that is wrong; it disables its application, and no other.
    struct Mistake: Sendable, Equatable {
        /// The application's name.
        var name: String
        /// The user that the file names, as far as it can be read.
        var user: UInt32?
        /// The refusal, which names the file, the line, the key and the allowed values.
        var refusal: DaemonConfiguration.Refusal

        /// The notice of it for people.
        var notice: ApplicationNotice { ApplicationNotice(name: name, reason: refusal.description) }
    }

    /// The applications, by name.
    private(set) var bindings: [ApplicationBinding] = []
    /// The files that are wrong, by name.
    private(set) var mistakes: [Mistake] = []

    /// Whether no application is bound, or was meant to be.
    var isEmpty: Bool { bindings.isEmpty && mistakes.isEmpty }

    /// The applications that are bound to nothing.
    var disabled: [DisabledApplication] {
        mistakes.map { DisabledApplication(name: $0.name, user: $0.user) }
    }

    /// No files.
    init() {}

    /// Reads all files `*.yaml` of a directory, in the order of their names.
    /// - Parameters:
    ///   - directory: The path of the directory.
    ///   - isRequired: Whether it must exist, because the configuration names it.
    /// - Throws: `DaemonConfiguration.Refusal` where the directory cannot be read; a file that is wrong is a mistake.
    init(directory: String, isRequired: Bool) throws(DaemonConfiguration.Refusal) {
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: directory)
        } catch {
            // Only one that is not there means that there are none: an unreadable one must not look like it.
            guard isRequired || access(directory, F_OK) == 0 else { return }
            throw DaemonConfiguration.Refusal(
                description: "applications: \(directory) cannot be read: \(ReadingTrouble.words(directory))"
            )
        }
        for name in names.filter({ $0.hasSuffix(".yaml") }).sorted() { read(name, in: directory) }
    }

    private mutating func read(_ file: String, in directory: String) {
        let name = String(file.dropLast(".yaml".count))
        let path = directory + "/" + file
        var user: UInt32?
        do throws(DaemonConfiguration.Refusal) {
            try ConfigurationFile.checkName(file, in: directory)
            let text = try ConfigurationFile.text(of: path)
            user = ApplicationFile.user(in: text)
            let binding = try ApplicationFile.binding(name: name, path: path, text: text)
            try refuseTwin(binding, path: path)
            bindings.append(binding)
        } catch {
            mistakes.append(Mistake(name: name, user: user, refusal: error))
        }
    }

    /// Refuses a second application that cannot be distinguished from another one: one of them could never be meant.
    private func refuseTwin(_ binding: ApplicationBinding, path: String) throws(DaemonConfiguration.Refusal) {
        let twin = bindings.first { $0.subject == binding.subject && $0.token == binding.token }
        guard let twin else { return }
        throw DaemonConfiguration.Refusal(
            description: "\(path): this application cannot be distinguished from \(twin.name);"
                + " bind it to another user or group, or give each a token-file of its own"
        )
    }
}
