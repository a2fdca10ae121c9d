import KairanInterface
import Sync

extension KairanInterface.Message.State {
    init(_ state: MessageRow.State) {
        switch state {
        case .sent: self = .sent
        case .waiting: self = .waiting
        case .fetching: self = .fetching
        case .finished: self = .finished
        case .forOthers: self = .forOthers
        case .failed: self = .failed
        case .earlier: self = .earlier
        }
    }
}

extension KairanInterface.MessageDelivery.State {
    init(_ state: SentMessages.Delivery.State) {
        switch state {
        case .queued: self = .queued
        case .relayed: self = .relayed
        case .delivered: self = .delivered
        case .read: self = .read
        case .failed: self = .failed
        case .unconfirmed: self = .unconfirmed
        }
    }
}
