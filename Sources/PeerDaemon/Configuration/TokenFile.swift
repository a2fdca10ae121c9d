import Dispatch
import Glibc
import LocalAPI
import Node

/// Why a token file is of no use.
struct TokenFileError: Error {
    /// The rest of a sentence that begins with the file.
    let reason: String
}

/// A file with an application's token.
struct TokenFile {
    let path: String

    /// The token: the file's text without the white space around it.
    /// - Throws: ``TokenFileError``, which never shows what the file says.
    func read() throws(TokenFileError) -> ApplicationToken {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            throw TokenFileError(reason: "cannot be read: \(String(cString: strerror(errno)))")
        }
        guard status.st_mode & S_IFMT == S_IFREG else { throw TokenFileError(reason: "is not a file") }
        guard status.st_mode & 0o007 == 0 else {
            throw TokenFileError(reason: "can be read or changed by everybody; `chmod o= \(path)`")
        }
        let bytes: [UInt8]
        do {
            bytes = try PrivateFile(path: path).read(limit: ApplicationToken.characterCountMax + 64) ?? []
        } catch {
            throw TokenFileError(reason: "cannot be read: \(String(cString: strerror(error.errorNumber)))")
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
