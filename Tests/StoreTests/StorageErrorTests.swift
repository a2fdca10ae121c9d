import GRDB
import Sync
import Testing

@testable import Store

@Suite struct `An error of the database` {
    private struct Odd: Error {
        let secret = "hidden"
    }

    @Test(arguments: [
        (ResultCode.SQLITE_FULL, StorageError.Code.diskFull, "SQLITE_FULL"),
        (.SQLITE_IOERR_WRITE, .inputOutput, "SQLITE_IOERR (extended code 778)"),
        (.SQLITE_CANTOPEN_ISDIR, .inputOutput, "SQLITE_CANTOPEN (extended code 526)"),
        (.SQLITE_READONLY_DBMOVED, .inaccessible, "SQLITE_READONLY (extended code 1032)"),
        (.SQLITE_NOTADB, .corrupt, "SQLITE_NOTADB"), (.SQLITE_BUSY, .locked, "SQLITE_BUSY"),
        (.SQLITE_CONSTRAINT_UNIQUE, .misuse, "SQLITE_CONSTRAINT (extended code 2067)"),
        (.SQLITE_INTERRUPT, .misuse, "SQLITE_INTERRUPT"),
    ])
    func `is a sentence with the name of its result code, and keeps the library's words for the log`(
        result: ResultCode,
        code: StorageError.Code,
        name: String
    ) {
        let raw = "UNIQUE constraint failed: zone.name"
        let error = StorageError(DatabaseError(resultCode: result, message: raw, sql: "SELECT 'milk'"))
        #expect(error.code == code)
        #expect(error.message.hasPrefix("SQLite reports \(name), "), "\(error.message)")
        #expect(!error.message.contains("UNIQUE") && !error.message.contains("SELECT"), "\(error.message)")
        #expect(error.detail == raw && error.description == "\(code.rawValue): \(error.message) (\(raw))")
    }

    @Test func `omits the library's text if it adds nothing to the code`() {
        let error = StorageError(DatabaseError(resultCode: .SQLITE_CORRUPT))
        #expect(error.message == "SQLite reports SQLITE_CORRUPT, database disk image is malformed")
        #expect(error.detail == nil && error.description == "corrupt: \(error.message)")
    }

    @Test func `shows the layout of a type to the log alone`() {
        let error = StorageError(Odd())
        #expect(error.code == .misuse && !error.message.contains("Odd") && !error.message.contains("hidden"))
        #expect(error.detail?.contains("hidden") == true)
    }

    @Test func `names each primary result code that a connection can report`() {
        for code: Int32 in Array(1...26) {
            #expect(StorageError.resultName(code).hasPrefix("SQLITE_"), "\(code)")
            #expect(StorageError.resultName(code | 3 << 8) == StorageError.resultName(code))
        }
        #expect(StorageError.resultName(77) == "result code 77")
    }
}
