package import Identity
package import Peering
import Sync
package import Wire

extension NodeIdentity: PeerAccount {
    /// The known logs of other accounts.
    package var contactLogs: [AccountID: AccountLog] { contacts.all }

    /// Whether keys can be sealed to other devices.
    package var canReplaceKeys: Bool { isSealing }

    /// Takes entries of an account's log, its own or another's.
    package func insert(_ entries: [[UInt8]], of account: AccountID) throws(EntriesFault) {
        do {
            if account == self.account {
                _ = try insert(entries)
            } else {
                _ = try contacts.insert(entries, of: account)
            }
        } catch let error as AccountError {
            throw EntriesFault(error)
        } catch let error as ContactLogs.Full {
            throw .notKept(error)
        } catch let error as PrivateFile.Failure {
            throw .notWritten(error)
        } catch {
            throw .invalid(error)
        }
    }

    /// Returns another account's log merged with these entries.
    package func merged(_ entries: [[UInt8]], of account: AccountID) throws -> AccountLog {
        try contacts.merged(entries, of: account)
    }

    /// Returns whether these are the terms of the zone that this account shares with another one alone.
    package func derives(_ terms: ZoneTerms) -> Bool {
        PairZones(committer(wallMilliseconds: wallMilliseconds)).derives(terms)
    }

    /// Counts the days of retired keys, and drops those whose days are over.
    package func countRetiredDays() throws { try hold([]) }

    /// Makes another key where removed devices may have the present one.
    package func replaceFleetKey() throws -> Bool { try renewFleetKey() }
}
