import Configuration
import Glibc
import LocalAPI
import Node
import Yams

/// One file `NAME.yaml` that binds an application to containers.
struct ApplicationFile {
    /// Every key with its allowed values.
    static let keys: [String: KnownKey] = [
        "uid": KnownKey(.text, "the name or number of a user other than root"),
        "gid": KnownKey(.text, "the name or number of a group other than root"),
        "containers": KnownKey(.list, "a list of reverse-DNS names, for example [org.example.notes]"),
        "token-file": KnownKey(.text, "the absolute path of a file that others cannot read"),
        "read-only": KnownKey(.flag, "true or false"),
        "requests-per-second": KnownKey(.number, "1 to \(RequestRate.max)"),
        "burst": KnownKey(.number, "1 to \(RequestRate.max)"),
        "storage-limit": KnownKey(.number, "a number of bytes"),
    ]

    private let name: String
    private let file: ConfigurationFile

    private init(name: String, path: String, text: String) throws(DaemonConfiguration.Refusal) {
        self.name = name
        file = try ConfigurationFile(path: path, text: text, keys: Self.keys)
    }

    /// Reads one file's text.
    /// - Throws: `DaemonConfiguration.Refusal`.
    static func binding(
        name: String,
        path: String,
        text: String
    ) throws(DaemonConfiguration.Refusal) -> ApplicationBinding {
        try ApplicationFile(name: name, path: path, text: text).binding()
    }

    private func binding() throws(DaemonConfiguration.Refusal) -> ApplicationBinding {
        let limit = try number("storage-limit", in: 0...Int.max)
        return ApplicationBinding(
            name: name,
            subject: try subject(),
            containers: try containers(),
            isReadOnly: flag("read-only") ?? false,
            token: try token(),
            rate: try rate(),
            storageByteCountMax: limit.map { UInt64($0) }
        )
    }

    private func subject() throws(DaemonConfiguration.Refusal) -> ApplicationBinding.Subject {
        switch (text("uid"), text("gid")) {
        case (let user?, nil):
            guard let number = UInt32(user) ?? Self.userNumber(user), number != 0, number != .max else {
                throw refusal("uid", "\"\(user)\"")
            }
            return .user(number)
        case (nil, let group?):
            guard let number = UInt32(group) ?? Self.groupNumber(group), number != 0, number != .max else {
                throw refusal("gid", "\"\(group)\"")
            }
            return .group(number)
        case (nil, nil), (_?, _?):
            throw DaemonConfiguration.Refusal(description: "\(file.path): exactly one of uid and gid is needed")
        }
    }

    private func containers() throws(DaemonConfiguration.Refusal) -> [String] {
        guard case .stringArray(let names)? = file.values["containers"]?.content, !names.isEmpty else {
            throw refusal("containers", "nothing")
        }
        for name in names where !Self.isReverseDNS(name) { throw refusal("containers", "\"\(name)\"") }
        return names
    }

    /// Only ASCII: two containers must not look the same.
    private static func isReverseDNS(_ name: String) -> Bool {
        let labels = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return labels.count >= 2 && name.utf8.count <= 255
            && labels.allSatisfy { label in
                !label.isEmpty && label.first != UInt8(ascii: "-") && label.last != UInt8(ascii: "-")
                    && label.allSatisfy { byte in
                        switch byte {
                        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                            true
                        default: false
                        }
                    }
            }
    }

    private func token() throws(DaemonConfiguration.Refusal) -> ApplicationToken? {
        guard let path = text("token-file") else { return nil }
        guard path.hasPrefix("/") else { throw refusal("token-file", "\"\(path)\"") }
        do throws(TokenFileError) {
            return try TokenFile(path: path).read()
        } catch {
            throw DaemonConfiguration.Refusal(
                description: "\(file.place(of: "token-file")): token-file: \(path) \(error.reason)"
            )
        }
    }

    private func rate() throws(DaemonConfiguration.Refusal) -> RequestRate {
        let range = 1...Int(RequestRate.max)
        let perSecond = try number("requests-per-second", in: range)
        // A file with only a rate gets a burst that goes with it.
        let burst = try number("burst", in: range) ?? perSecond.map { min($0 * 2, range.upperBound) }
        return RequestRate(
            perSecond: perSecond.map { UInt32($0) } ?? RequestRate.applicationDefault.perSecond,
            burst: burst.map { UInt32($0) } ?? RequestRate.applicationDefault.burst
        ) ?? .applicationDefault
    }

    // MARK: Values

    private func text(_ key: String) -> String? {
        guard case .string(let text)? = file.values[key]?.content else { return nil }
        return text
    }

    private func flag(_ key: String) -> Bool? {
        guard case .bool(let flag)? = file.values[key]?.content else { return nil }
        return flag
    }

    private func number(_ key: String, in range: ClosedRange<Int>) throws(DaemonConfiguration.Refusal) -> Int? {
        guard case .int(let number)? = file.values[key]?.content else { return nil }
        guard range.contains(number) else { throw refusal(key, "\(number)") }
        return number
    }

    private func refusal(_ key: String, _ value: String) -> DaemonConfiguration.Refusal {
        DaemonConfiguration.Refusal(
            description:
                "\(file.place(of: key)): \(key): \(value) is not valid; allowed: \(Self.keys[key]?.allowed ?? "")"
        )
    }

    /// Returns the user named by a file that is wrong elsewhere, as far as it can be read.
    static func user(in text: String) -> UInt32? {
        // Its mistake is reported already.
        let name = (try? Yams.compose(yaml: text))?.mapping?["uid"]?.scalar?.string
        return name.flatMap { UInt32($0) ?? userNumber($0) }
    }

    private static func userNumber(_ name: String) -> UInt32? { getpwnam(name)?.pointee.pw_uid }

    private static func groupNumber(_ name: String) -> UInt32? { getgrnam(name)?.pointee.gr_gid }
}
