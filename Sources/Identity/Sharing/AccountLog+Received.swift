package import Wire

extension AccountLog {
    /// Takes over the whole log of another account, as one of its devices sent it with a request to join, or the
    /// answer.
    ///
    /// A valid log need not be complete: a sender that leaves out the newest entries shows an older account.
    /// - Parameters:
    ///   - account: The account that it is claimed to be of.
    ///   - entries: The bytes of `SignedAccountEntry` values, parents before children.
    /// - Throws: ``AccountError/otherAccount`` for the log of another one, ``AccountError/notGenesis`` for none, and as
    ///   ``insert(contentsOf:)``.
    /// - Complexity: One signature check for each entry, and the state once.
    package init(of account: AccountID, entries: [[UInt8]]) throws(AccountError) {
        guard let genesis = entries.first else { throw .notGenesis }
        try self.init(genesis: genesis)
        guard self.account == account else { throw .otherAccount }
        try insert(contentsOf: Array(entries.dropFirst()))
    }
}
