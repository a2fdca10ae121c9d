import Glibc

/// The arguments and the environment of a process, read as the UTF-8 that names are.
///
/// `CommandLine.arguments`, `String(cString:)` and Foundation replace bytes that are not UTF-8 by U+FFFD. Two names of a disk in
/// another encoding then become one, and the second write overwrites the first. Here such bytes are an error.
package struct Invocation: Sendable, Equatable {
    /// The arguments, without the program's name.
    package let arguments: [String]
    /// The variables of the environment by name.
    package let environment: [String: String]

    /// Reads the arguments and the environment of a process.
    /// - Parameters:
    ///   - arguments: The arguments as bytes, without the program's name.
    ///   - environment: The environment as bytes, each `NAME=value`.
    ///   - isRead: Whether the program uses a variable; others may hold any bytes and are left out if they are not
    ///     UTF-8.
    /// - Throws: ``NotUTF8`` for the first argument, or the first used variable, that is not UTF-8.
    package init(
        arguments: [[UInt8]],
        environment: [[UInt8]],
        reading isRead: (String) -> Bool
    ) throws(NotUTF8) {
        var texts: [String] = []
        for (index, bytes) in arguments.enumerated() {
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw NotUTF8(place: "Argument \(index + 1)", bytes: bytes)
            }
            texts.append(text)
        }
        var variables: [String: String] = [:]
        for entry in environment {
            guard let equals = entry.firstIndex(of: UInt8(ascii: "=")),
                let name = String(validating: entry[..<equals], as: UTF8.self)
            else { continue }
            let bytes = Array(entry[(equals + 1)...])
            if let value = String(validating: bytes, as: UTF8.self) {
                variables[name] = value
            } else if isRead(name) {
                throw NotUTF8(place: "The environment variable \(name)", bytes: bytes)
            }
        }
        self.arguments = texts
        self.environment = variables
    }

    /// The arguments and the environment of this process.
    /// - Parameter isRead: As of ``init(arguments:environment:reading:)``.
    /// - Returns: Arguments and environment.
    /// - Throws: ``NotUTF8``.
    package static func current(reading isRead: (String) -> Bool) throws(NotUTF8) -> Invocation {
        var arguments: [[UInt8]] = []
        for index in 1..<max(1, Int(CommandLine.argc)) {
            guard let pointer = CommandLine.unsafeArgv[index] else { break }
            arguments.append(bytes(pointer))
        }
        var environment: [[UInt8]] = []
        var entry = environ
        while let pointer = entry.pointee {
            environment.append(bytes(pointer))
            entry += 1
        }
        return try Invocation(arguments: arguments, environment: environment, reading: isRead)
    }

    /// Whether Kairan's programs read a variable.
    package static func isRead(_ name: String) -> Bool {
        name.hasPrefix("KAIRAN_") || name.hasPrefix("XDG_") || name.hasPrefix("LISTEN_") || name.hasPrefix("WATCHDOG_")
            || ["HOME", "CREDENTIALS_DIRECTORY", "NOTIFY_SOCKET"].contains(name)
    }

    private static func bytes(_ pointer: UnsafePointer<CChar>) -> [UInt8] {
        UnsafeBufferPointer(start: pointer, count: strlen(pointer)).map { UInt8(bitPattern: $0) }
    }
}

/// An argument or a variable of the environment that is not UTF-8.
package struct NotUTF8: Error, Sendable, Equatable, CustomStringConvertible {
    /// The place of the text, as the beginning of a sentence.
    package let place: String
    /// The bytes of the text.
    package let bytes: [UInt8]

    /// The problem and the remedy; bytes that are not printable ASCII are shown as `\xE9`.
    package var description: String {
        "\(place) is not UTF-8: \(shown). Names and paths are UTF-8; convert the text or rename the file, for example with iconv or convmv."
    }

    private var shown: String {
        let text = bytes.prefix(80).map { byte -> String in
            switch byte {
            case 0x20..<0x7F where byte != UInt8(ascii: "\\"): String(UnicodeScalar(byte))
            default: "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
        return text.joined() + (bytes.count > 80 ? "…" : "")
    }
}
