import Configuration
import Yams

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A YAML file of settings, read strictly: an unknown key is an error and not a comment.
struct ConfigurationFile: Sendable {
    /// Its path, for messages.
    let path: String
    /// The settings, by key.
    let values: [String: ConfigValue]
    private let lines: [String: Int]

    /// Returns the place of a setting, for messages; the file itself if it does not contain the setting.
    func place(of key: String) -> String { lines[key].map { "\(path):\($0)" } ?? path }

    /// Reads a file's text.
    /// - Parameters:
    ///   - path: The path of the file, for messages.
    ///   - text: The text of the file.
    ///   - keys: The settings that the file may contain.
    /// - Throws: `DaemonConfiguration.Refusal` naming the file, the line, the key and the allowed values.
    init(
        path: String,
        text: String,
        keys: [String: KnownKey] = DaemonConfiguration.keys
    ) throws(DaemonConfiguration.Refusal) {
        self.path = path
        let root: Yams.Node?
        do {
            root = try Yams.compose(yaml: text)
        } catch {
            throw DaemonConfiguration.Refusal(description: YAMLTrouble.sentence(path: path, error))
        }
        guard let root, root.scalar?.string.isEmpty != true else {
            (values, lines) = ([:], [:])
            return
        }
        guard let mapping = root.mapping else {
            throw DaemonConfiguration.Refusal(description: "\(path): the file must be a mapping of keys to values")
        }
        var values: [String: ConfigValue] = [:]
        var lines: [String: Int] = [:]
        for (keyNode, node) in mapping {
            let place = "\(path):\(keyNode.mark?.line ?? 0)"
            let key = keyNode.string ?? ""
            guard let allowed = keys[key] else {
                let known = keys.keys.sorted().joined(separator: ", ")
                throw DaemonConfiguration.Refusal(description: "\(place): unknown key \"\(key)\"; known: \(known)")
            }
            guard let content = Self.content(of: node, form: allowed.form) else {
                throw DaemonConfiguration.Refusal(description: "\(place): \(key) must be \(allowed.allowed)")
            }
            values[key] = ConfigValue(content, isSecret: false)
            lines[key] = keyNode.mark?.line
        }
        (self.values, self.lines) = (values, lines)
    }

    /// Reads `/etc`-style configuration: the file, then its drop-ins in the order of their names.
    /// - Parameters:
    ///   - path: The file; a missing one is treated as empty unless it is required.
    ///   - dropIns: A directory of further `*.yaml` files; may be missing.
    ///   - isRequired: Whether the file must exist, because it was named explicitly.
    /// - Returns: The files in rising precedence.
    /// - Throws: `DaemonConfiguration.Refusal`.
    static func load(
        path: String,
        dropIns: String?,
        isRequired: Bool
    ) throws(DaemonConfiguration.Refusal) -> [ConfigurationFile] {
        var paths: [String] = []
        if isRequired || FileManager.default.fileExists(atPath: path) { paths.append(path) }
        // A missing directory of drop-ins is the usual case and means that there are none.
        if let dropIns, let names = try? FileManager.default.contentsOfDirectory(atPath: dropIns) {
            for name in names.filter({ $0.hasSuffix(".yaml") }).sorted() {
                try checkName(name, in: dropIns)
                paths.append(dropIns + "/" + name)
            }
        }
        var files: [ConfigurationFile] = []
        for path in paths { files.append(try ConfigurationFile(path: path, text: try text(of: path))) }
        return files
    }

    /// Refuses a file whose name is not UTF-8, in which Foundation has replaced the invalid parts.
    static func checkName(_ name: String, in directory: String) throws(DaemonConfiguration.Refusal) {
        guard name.unicodeScalars.contains("\u{FFFD}") else { return }
        throw DaemonConfiguration.Refusal(description: "\(directory): the file name \(name) is not UTF-8; rename it")
    }

    /// Reads the text of a file.
    /// - Throws: `DaemonConfiguration.Refusal` when it cannot be read or is not UTF-8.
    static func text(of path: String) throws(DaemonConfiguration.Refusal) -> String {
        let bytes: [UInt8]
        do {
            bytes = Array(try Data(contentsOf: URL(filePath: path)))
        } catch {
            throw DaemonConfiguration.Refusal(description: "\(path): cannot be read: \(ReadingTrouble.words(path))")
        }
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        let offset = bytes.validUTF8PrefixCount
        throw DaemonConfiguration.Refusal(
            description: "\(path): the file is not UTF-8 at byte \(offset); save it as UTF-8"
        )
    }

    private static func content(of node: Yams.Node, form: KnownKey.Form) -> ConfigContent? {
        switch form {
        case .list:
            guard let items = node.sequence else { return nil }
            let texts = items.compactMap { $0.scalar?.string }
            return texts.count == items.count ? .stringArray(texts) : nil
        case .flag:
            return node.bool.map { .bool($0) }
        case .number:
            return node.scalar.flatMap { Int($0.string) }.flatMap { $0 < 0 ? nil : .int($0) }
        case .text:
            return node.scalar.map { .string($0.string) }
        }
    }
}

extension [UInt8] {
    /// The number of bytes before the first one that is no part of UTF-8 text.
    fileprivate var validUTF8PrefixCount: Int {
        var decoder = UTF8()
        var iterator = makeIterator()
        var count = 0
        while case .scalarValue(let scalar) = decoder.decode(&iterator) {
            count += UTF8.width(scalar)
        }
        return count
    }
}
