SELECT sandbox_leave('app_deliveries', 'what attempts came to is kept for an hour, whatever is put back');
