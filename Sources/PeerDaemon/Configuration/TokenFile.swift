import Glibc
import LocalAPI
import Node

/// The reason why a token file cannot be used.
struct TokenFileError: Error {
    /// The rest of a sentence that begins with the file.
    let reason: String
}

/// A file with an application's token.
struct TokenFile {
    let path: String

    /// Reads the token: the file's text without the white space around it.
    /// - Throws: ``TokenFileError``, which never shows the content of the file.
    func read() throws(TokenFileError) -> ApplicationToken {
        let file = PrivateFile(path: path)
        let bytes: [UInt8]
        do {
            let facts = try file.facts()
            guard facts.isRegular else { throw TokenFileError(reason: "is not a file") }
            guard !facts.isOpenToOthers else {
                throw TokenFileError(reason: "can be read or changed by all users; `chmod o= \(path)`")
            }
            bytes = try file.read(limit: ApplicationToken.characterCountMax + 64) ?? []
        } catch let error as PrivateFile.Failure {
            throw TokenFileError(reason: "cannot be read: \(String(cString: strerror(error.errorNumber)))")
        } catch let error as TokenFileError {
            throw error
        } catch {
            throw TokenFileError(reason: "cannot be read: \(error)")
        }
        let isBlank: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0D).contains($0) }
        let text = bytes.drop(while: isBlank).reversed().drop(while: isBlank).reversed()
        guard let token = ApplicationToken(String(decoding: Array(text), as: UTF8.self)) else {
            throw TokenFileError(
                reason: "must hold \(ApplicationToken.characterCountMin) to \(ApplicationToken.characterCountMax)"
                    + " visible ASCII characters; `head -c 32 /dev/urandom | base32 -w 0` makes them"
            )
        }
        return token
    }
}

extension TokenFileError: CustomStringConvertible {
    /// The reason.
    var description: String { "the token file \(reason)" }
}
