module toolgate.example/client

go 1.19
